// Owners of file descriptors, and sockets that never block.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "sim/base/result.h"

namespace quintet::engine {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

struct SocketAddress {
  std::string host;  // a name or a literal; never empty, since that would mean all interfaces
  std::uint16_t port = 0;
  bool operator==(const SocketAddress&) const = default;
  std::string text() const;  // "127.0.0.1:4000", "[::1]:4000"
};
Result<SocketAddress> parse_address(const std::string& text);

// Port 0 takes a free one.
Result<Descriptor> listen_on(const SocketAddress& address);
Result<SocketAddress> address_of(const Descriptor& socket);

// To the first of the name's addresses that answers; small messages leave at once. The error names
// the address and the system's reason.
Result<Descriptor> connect_to(const SocketAddress& address, Clock::time_point deadline);

std::string system_error(int number);  // "Connection refused"

}  // namespace quintet::engine
