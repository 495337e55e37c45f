// A file of messages that begin with their length, taken one by one: what lies in memory is one
// message and a block of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"

namespace quintet::chakra {

// Fills from the front; less than all only at the end.
using ReadBytes = std::function<Result<std::size_t>(std::span<char>)>;
ReadBytes reading(std::string_view bytes);  // which outlive it

class Messages {
 public:
  Messages(ReadBytes read, std::string where);

  // The next message's bytes, until the next call; none: the file has ended. Fails where it is cut
  // off, and at a length that no node has.
  Result<std::optional<std::string_view>> next();

  // Of the message that was returned last: "file: message 3 at byte 117".
  std::string place() const;
  const std::string& where() const { return where_; }
  std::int64_t count() const { return count_; }

 private:
  Result<std::optional<std::uint64_t>> length();
  Result<bool> fill(std::size_t needed);

  ReadBytes read_;
  std::string where_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what of the buffer is not yet taken
  std::size_t taken_ = 0, begun_ = 0;
  std::int64_t count_ = 0, current_ = 0;
};

}  // namespace quintet::chakra
