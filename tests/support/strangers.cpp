#include "tests/support/strangers.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <random>

namespace quintet::engine {

Descriptor half_open(const SocketAddress& address) {
  Result<Descriptor> socket = connect_to(address, Clock::now() + Milliseconds(2000));
  return socket ? *std::move(socket) : Descriptor();
}

Ending says(const SocketAddress& address, std::span<const std::byte> bytes, Milliseconds within) {
  const Descriptor socket = half_open(address);
  if (!socket.open()) return Ending::closed;
  send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  const Clock::time_point until = Clock::now() + within;
  std::array<std::byte, 4096> answer;
  while (Clock::now() < until) {
    pollfd one{socket.number(), POLLIN, 0};
    poll(&one, 1, 20);
    const ssize_t count = recv(socket.number(), answer.data(), answer.size(), MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN)) return Ending::closed;
  }
  return Ending::still_open;
}

std::vector<std::byte> garbage(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 0xff);
  return bytes;
}

}  // namespace quintet::engine
