#include "engine/launch/rendezvous/rendezvous_socket.h"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <system_error>

namespace quintet::engine {

namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Result<Addresses> resolved(const SocketAddress& address) {
  if (address.host.empty())
    return Error{"rendezvous address", "no host is named; name the interface's address"};
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int status =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &wanted, &found);
  if (status != 0) return Error{address.text(), gai_strerror(status)};
  return Addresses(found);
}

Descriptor socket_for(const addrinfo& address) {
  return Descriptor(socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

void send_at_once(const Descriptor& socket) {
  const int on = 1;
  setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// 0, or why the connection that was begun did not come about.
int outcome(const Descriptor& socket, Clock::time_point deadline) {
  const auto left = std::chrono::ceil<Milliseconds>(deadline - Clock::now());
  pollfd poll_for{socket.number(), POLLOUT, 0};
  if (poll(&poll_for, 1, static_cast<int>(std::max(left, Milliseconds(0)).count())) == 0)
    return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

}  // namespace

Descriptor::~Descriptor() {
  if (open()) close(number_);
}

std::string system_error(int number) {
  return std::error_code(number, std::generic_category()).message();
}

std::string SocketAddress::text() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return fmt::format("{}:{}", is_ipv6 ? "[" + host + "]" : host, port);
}

Result<SocketAddress> parse_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const Error wrong{"rendezvous address",
                    "expected HOST:PORT or [HOST]:PORT, found \"" + text + "\""};
  if (colon == std::string::npos || colon == 0) return wrong;
  SocketAddress address{text.substr(0, colon), 0};
  if (address.host.front() == '[' && address.host.back() == ']')
    address.host = address.host.substr(1, address.host.size() - 2);
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data() + colon + 1, end, address.port);
  if (status != std::errc{} || stop != end || address.host.empty()) return wrong;
  return address;
}

Result<Descriptor> listen_on(const SocketAddress& address) {
  const Result<Addresses> found = resolved(address);
  if (!found) return found.error();
  int error = 0;
  for (const addrinfo* one = found->get(); one != nullptr; one = one->ai_next) {
    Descriptor socket = socket_for(*one);
    const int on = 1;
    setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (socket.open() && bind(socket.number(), one->ai_addr, one->ai_addrlen) == 0 &&
        listen(socket.number(), SOMAXCONN) == 0)
      return socket;
    error = errno;
  }
  return Error{address.text(), "cannot listen: " + system_error(error)};
}

Result<SocketAddress> address_of(const Descriptor& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host, sizeof host, port,
                  sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return Error{"rendezvous", "cannot tell the address listened on: " + system_error(errno)};
  return SocketAddress{host, static_cast<std::uint16_t>(std::stoi(port))};
}

Result<Descriptor> connect_to(const SocketAddress& address, Clock::time_point deadline) {
  const Result<Addresses> found = resolved(address);
  if (!found) return found.error();
  int error = 0;
  for (const addrinfo* one = found->get(); one != nullptr; one = one->ai_next) {
    Descriptor socket = socket_for(*one);
    if (!socket.open()) return Error{address.text(), system_error(errno)};
    send_at_once(socket);
    error = connect(socket.number(), one->ai_addr, one->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) error = outcome(socket, deadline);
    if (error == 0) return socket;
  }
  return Error{address.text(), "cannot connect: " + system_error(error)};
}

}  // namespace quintet::engine
