// What a piece depends on, as a few numbers: equal keys, equal pieces.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace quintet {

class PieceKey {
 public:
  template <class... Numbers>
  explicit PieceKey(Numbers... numbers) {
    (add(numbers), ...);
  }

  template <class Number>
  void add(Number number) {
    assert(count_ < words_.size());
    if constexpr (std::floating_point<Number>)
      words_[count_++] = std::bit_cast<std::uint64_t>(static_cast<double>(number));
    else
      words_[count_++] = static_cast<std::uint64_t>(number);
  }

  bool operator==(const PieceKey& other) const {
    if (count_ != other.count_) return false;
    for (std::size_t word = 0; word < count_; ++word)
      if (words_[word] != other.words_[word]) return false;
    return true;
  }

  // The finalizer of MurmurHash3 (Appleby, public domain) over the words one after the other.
  std::size_t hash() const {
    std::uint64_t sum = count_;
    for (std::size_t word = 0; word < count_; ++word) {
      sum = (sum ^ words_[word]) * 0xff51afd7ed558ccdULL;
      sum ^= sum >> 33;
    }
    return static_cast<std::size_t>(sum);
  }

 private:
  std::array<std::uint64_t, 32> words_;  // only the first `count_` are set
  std::size_t count_ = 0;
};

struct PieceHash {
  std::size_t operator()(const PieceKey& key) const { return key.hash(); }
};

template <class Piece>
using Pieces = std::unordered_map<PieceKey, Piece, PieceHash>;

}  // namespace quintet
