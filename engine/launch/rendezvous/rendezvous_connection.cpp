#include "engine/launch/rendezvous/rendezvous_connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace quintet::engine {

namespace {

bool try_again(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

FrameConnection::FrameConnection(Descriptor socket, std::size_t frame_limit)
    : socket_(std::move(socket)), reader_(frame_limit) {
  const int on = 1;
  setsockopt(socket_.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

ConnectionState FrameConnection::read_some() {
  std::array<std::byte, 4096> buffer;
  const ssize_t count = recv(descriptor(), buffer.data(), buffer.size(), 0);
  if (count > 0) {
    reader_.push(std::span(buffer).first(static_cast<std::size_t>(count)));
    return ConnectionState::open;
  }
  return count < 0 && try_again(errno) ? ConnectionState::open : ConnectionState::closed;
}

bool FrameConnection::has_unread() const {
  pollfd one{descriptor(), POLLIN, 0};
  return poll(&one, 1, 0) > 0;
}

void FrameConnection::send(FrameKind kind, std::span<const std::byte> body) {
  const std::vector<std::byte> frame = encoded(kind, body);
  unsent_.insert(unsent_.end(), frame.begin(), frame.end());
  flush();  // a connection found closed here is found closed again when it is read
}

ConnectionState FrameConnection::flush() {
  while (!unsent_.empty()) {
    const ssize_t count = ::send(descriptor(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (count < 0) return try_again(errno) ? ConnectionState::open : ConnectionState::closed;
    unsent_.erase(unsent_.begin(), unsent_.begin() + count);
  }
  return ConnectionState::open;
}

void FrameConnection::finish() {
  flush();
  shutdown(descriptor(), SHUT_WR);
}

}  // namespace quintet::engine
