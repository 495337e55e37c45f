#include "engine/network/routes/route_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

#include "engine/launch/rendezvous/rendezvous_frames.h"

namespace quintet::engine {

namespace {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  const sockaddr* at() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

std::optional<Address> address_at(const std::string& host, std::uint16_t port) {
  Address address;
  auto& four = reinterpret_cast<sockaddr_in&>(address.storage);
  if (inet_pton(AF_INET, host.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    address.size = sizeof four;
    return address;
  }
  auto& six = reinterpret_cast<sockaddr_in6&>(address.storage);
  if (inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) != 1) return std::nullopt;
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  address.size = sizeof six;
  return address;
}

}  // namespace

std::vector<std::byte> bytes_of(const Doors& doors) {
  BodyWriter body;
  body.number(static_cast<std::uint32_t>(doors.size()));
  for (const SocketAddress& door : doors) {
    body.text(door.host);
    body.number(door.port);
  }
  return body.body();
}

std::optional<Doors> read_doors(std::span<const std::byte> bytes) {
  constexpr std::uint32_t most = 64;
  BodyReader body(bytes);
  const std::uint32_t count = body.number();
  if (count == 0 || count > most) return std::nullopt;
  Doors doors;
  for (std::uint32_t i = 0; i < count; ++i) {
    SocketAddress door;
    door.host = body.text();
    door.port = static_cast<std::uint16_t>(body.number());
    if (!address_at(door.host, door.port)) return std::nullopt;
    doors.push_back(std::move(door));
  }
  if (!body.whole()) return std::nullopt;
  return doors;
}

Result<Descriptor> begin_to_connect(const std::string& from, const SocketAddress& to) {
  const std::optional<Address> source = address_at(from, 0), target = address_at(to.host, to.port);
  if (!source || !target || source->storage.ss_family != target->storage.ss_family)
    return Error{to.text(), "cannot be reached from " + from};
  Descriptor socket(
      ::socket(target->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.open()) return Error{to.text(), system_error(errno)};
  const int on = 1;
  setsockopt(socket.number(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  if (bind(socket.number(), source->at(), source->size) != 0)
    return Error{from, "cannot be sent from: " + system_error(errno)};
  if (connect(socket.number(), target->at(), target->size) != 0 && errno != EINPROGRESS)
    return Error{to.text(), "cannot connect: " + system_error(errno)};
  return socket;
}

}  // namespace quintet::engine
