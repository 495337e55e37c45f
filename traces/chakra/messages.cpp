#include "traces/chakra/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace quintet::chakra {

namespace {

constexpr std::size_t block = std::size_t{1} << 15;
// The longest that real files hold is their metadata, of some 100 KB: a schedule's whole text.
constexpr std::uint64_t longest = std::uint64_t{64} << 20;

}  // namespace

ReadBytes reading(std::string_view bytes) {
  return [bytes](std::span<char> into) mutable -> Result<std::size_t> {
    const std::size_t count = std::min(into.size(), bytes.size());
    std::copy_n(bytes.data(), count, into.data());
    bytes.remove_prefix(count);
    return count;
  };
}

Messages::Messages(ReadBytes read, std::string where)
    : read_(std::move(read)), where_(std::move(where)) {}

std::string Messages::place() const {
  return fmt::format("{}: message {} at byte {}", where_, current_, begun_);
}

// Whether `needed` bytes lie there; false: the file ends before. Room is made as bytes come, so
// that a wrong length costs no memory.
Result<bool> Messages::fill(std::size_t needed) {
  while (end_ - begin_ < needed) {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (buffer_.size() < end_ + block) buffer_.resize(std::max(2 * end_, end_ + block));
    const Result<std::size_t> count = read_(std::span(buffer_).subspan(end_));
    if (!count) return count.error();
    if (*count == 0) return false;
    end_ += *count;
  }
  return true;
}

Result<std::optional<std::uint64_t>> Messages::length() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    const Result<bool> there = fill(1);
    if (!there) return there.error();
    if (!*there && shift == 0) return std::optional<std::uint64_t>{};
    if (!*there)
      return Error{place(),
                   "the file ends within a message's length: it is cut off; copy it again"};
    const auto byte = static_cast<unsigned char>(buffer_[begin_++]);
    ++taken_;
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return std::optional{value};
  }
  return Error{place(),
               "begins with no length of at most 5 bytes; expected Chakra's messages, each after "
               "its length"};
}

Result<std::optional<std::string_view>> Messages::next() {
  begun_ = taken_;
  current_ = count_;
  const Result<std::optional<std::uint64_t>> size = length();
  if (!size) return size.error();
  if (!*size) return std::optional<std::string_view>{};
  if (**size > longest)
    return Error{place(), fmt::format("is {} bytes long; expected at most {}: the file is damaged "
                                      "or none of Chakra's",
                                      **size, longest)};
  const std::size_t bytes = **size;
  const Result<bool> there = fill(bytes);
  if (!there) return there.error();
  if (!*there)
    return Error{place(), fmt::format("is cut off after {} of {} bytes; copy the file again",
                                      end_ - begin_, bytes)};
  const std::string_view message(buffer_.data() + begin_, bytes);
  begin_ += bytes;
  taken_ += bytes;
  ++count_;
  return std::optional{message};
}

}  // namespace quintet::chakra
