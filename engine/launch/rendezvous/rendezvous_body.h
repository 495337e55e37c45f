// The bytes inside a frame: little-endian numbers, blocks with their length before them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quintet::engine {

class BodyWriter {
 public:
  void number(std::uint32_t value);
  void bytes(std::span<const std::byte> bytes);  // as they are
  void block(std::span<const std::byte> bytes);  // with their length
  void text(std::string_view text);              // a block
  const std::vector<std::byte>& body() const { return body_; }

 private:
  std::vector<std::byte> body_;
};

// Reads what a stranger may have written: beyond the end everything is zero or empty, and whole()
// is false for good.
class BodyReader {
 public:
  explicit BodyReader(std::span<const std::byte> body) : rest_(body) {}
  std::uint32_t number();
  std::span<const std::byte> bytes(std::size_t count);
  std::span<const std::byte> block();
  std::string text();
  bool whole() const { return enough_ && rest_.empty(); }  // neither too short nor too long

 private:
  std::span<const std::byte> rest_;
  bool enough_ = true;
};

}  // namespace quintet::engine
