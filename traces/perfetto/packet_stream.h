// A trace's packets, one after the other: tag 0x0A, length, bytes. One packet is in memory at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "sim/base/result.h"

namespace quintet::perfetto_trace {

class PacketStream {
 public:
  // As ByteSource::read.
  using Read = std::function<Result<std::size_t>(std::span<char>)>;
  PacketStream(std::string where, Read read);

  // False at the end. A packet above 256 MiB is an error, and one that is cut off.
  Result<bool> next(std::string& packet);

  // Of the packet that was given last: "file: packet 3 at byte 120".
  std::string place() const;
  const std::string& where() const { return where_; }

 private:
  // -1: the end; -2: it failed.
  int byte();
  Result<std::uint64_t> length();
  Result<bool> take(std::string& packet, std::uint64_t length);

  std::string where_;
  Read read_;
  std::string buffer_;
  std::size_t at_ = 0, filled_ = 0;
  std::uint64_t taken_ = 0, begin_ = 0, number_ = 0;
  Error failed_;
};

// What `beginning` holds are whole packets, but for the last that it cuts off.
bool are_packets(std::string_view beginning);

}  // namespace quintet::perfetto_trace
