// Equal texts told by one number: a trace has millions of names and thousands of different ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quintet {

class NameTable {
 public:
  // The text's, which it gets when it is new: 0, 1, 2, ...
  std::int32_t index_of(std::string_view text);
  // -1: it has none.
  std::int32_t find(std::string_view text) const;
  const std::string& operator[](std::int32_t index) const {
    return names_[static_cast<std::size_t>(index)];
  }
  std::size_t size() const { return names_.size(); }
  std::vector<std::string> take() && { return std::move(names_); }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::int32_t index = -1;  // -1: empty
  };
  // The text's, or the empty one where it would go.
  std::size_t slot_of(std::string_view text, std::uint32_t hash) const;
  void grow();
  std::vector<std::string> names_;
  std::vector<Slot> slots_ = std::vector<Slot>(1024);  // a power of two, at most half of them taken
};

}  // namespace quintet
