#include "traces/json_stream/json_scanner.h"

#include <algorithm>
#include <array>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace quintet::json_stream {
namespace {

constexpr std::size_t block_size = 64;

// Bit i tells of byte i of a block.
struct BlockMasks {
  std::uint64_t quotes = 0, backslashes = 0, opening = 0, closing = 0;
};

// "[" and "{" differ in bit 5 only, as "]" and "}" do.
#if defined(__SSE2__)
BlockMasks masks_of(const char* block) {
  BlockMasks masks;
  for (int part = 0; part < 4; ++part) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block) + part);
    const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    const auto bits = [&](__m128i of, char character) {
      const int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(of, _mm_set1_epi8(character)));
      return static_cast<std::uint64_t>(mask) << (16 * part);
    };
    masks.quotes |= bits(bytes, '"');
    masks.backslashes |= bits(bytes, '\\');
    masks.opening |= bits(folded, '{');
    masks.closing |= bits(folded, '}');
  }
  return masks;
}
#else
BlockMasks masks_of(const char* block) {
  BlockMasks masks;
  for (std::size_t i = 0; i < block_size; ++i) {
    const auto bit = [&](bool is) { return static_cast<std::uint64_t>(is) << i; };
    masks.quotes |= bit(block[i] == '"');
    masks.backslashes |= bit(block[i] == '\\');
    masks.opening |= bit((block[i] | 0x20) == '{');
    masks.closing |= bit((block[i] | 0x20) == '}');
  }
  return masks;
}
#endif

// Bit i is whether an odd number of bits up to i is set.
std::uint64_t parity_up_to(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

// Of characters after a backslash that is not itself escaped.
std::uint64_t escaped_by(std::uint64_t backslashes, std::size_t count, bool& carried) {
  std::uint64_t escaped = 0;
  bool escapes = carried;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (escapes) escaped |= bit;
    escapes = !escapes && (backslashes & bit) != 0;
  }
  carried = escapes;
  return escaped;
}

// Calls on_bracket(opens, offset) for each bracket outside of strings until it returns false.
template <class OnBracket>
void for_each_bracket(std::string_view text, std::size_t from, bool& in_string, bool& escaped,
                      const OnBracket& on_bracket) {
  std::array<char, block_size> last{};
  for (std::size_t at = from; at < text.size(); at += block_size) {
    const char* block = text.data() + at;
    const std::size_t count = text.size() - at;
    if (count < block_size) {
      std::memcpy(last.data(), block, count);
      block = last.data();
    }
    BlockMasks masks = masks_of(block);
    if (masks.backslashes != 0 || escaped)
      masks.quotes &= ~escaped_by(masks.backslashes, std::min(count, block_size), escaped);
    const std::uint64_t inside = parity_up_to(masks.quotes) ^ (in_string ? ~std::uint64_t{} : 0);
    in_string = (inside >> 63) != 0;
    std::uint64_t brackets = (masks.opening | masks.closing) & ~inside;
    for (; brackets != 0; brackets &= brackets - 1) {
      const int bit = __builtin_ctzll(brackets);
      const bool opens = ((masks.opening >> bit) & 1) != 0;
      if (!on_bracket(opens, at + static_cast<std::size_t>(bit))) return;
    }
  }
}

bool is_space(char character) {
  return character == ' ' || character == '\n' || character == '\r' || character == '\t';
}

}  // namespace

CompleteElements complete_elements(std::string_view text) {
  CompleteElements found;
  std::int64_t depth = 0;
  bool in_string = false, escaped = false;
  for_each_bracket(text, 0, in_string, escaped, [&](bool opens, std::size_t at) {
    depth += opens ? 1 : -1;
    if (depth > 0 || opens) return true;
    if (depth == 0) return found.end = at + 1, true;
    found.closed = at;
    return false;
  });
  return found;
}

std::optional<std::size_t> ValueScanner::end_in(std::string_view piece) {
  std::size_t from = 0;
  if (shape_ == Shape::none) {
    while (from < piece.size() && is_space(piece[from])) ++from;
    if (from == piece.size()) return std::nullopt;
    const char first = piece[from];
    shape_ = first == '"'                   ? Shape::text
             : first == '{' || first == '[' ? Shape::nested
                                            : Shape::scalar;
    if (first == '"') ++from;
  }
  switch (shape_) {
    case Shape::none:
    case Shape::scalar:
      return end_of_scalar(piece, from);
    case Shape::text:
      return end_of_text(piece, from);
    case Shape::nested:
      return end_of_nested(piece, from);
  }
  return std::nullopt;
}

std::optional<std::size_t> ValueScanner::end_of_scalar(std::string_view piece,
                                                       std::size_t from) const {
  const std::size_t end = piece.find_first_of(",]} \n\r\t", from);
  if (end == std::string_view::npos) return std::nullopt;
  return end;
}

std::optional<std::size_t> ValueScanner::end_of_text(std::string_view piece, std::size_t from) {
  for (; from < piece.size(); ++from) {
    if (escaped_) {
      escaped_ = false;
    } else if (piece[from] == '\\') {
      escaped_ = true;
    } else if (piece[from] == '"') {
      return from + 1;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> ValueScanner::end_of_nested(std::string_view piece, std::size_t from) {
  std::optional<std::size_t> end;
  for_each_bracket(piece, from, in_string_, escaped_, [&](bool opens, std::size_t at) {
    depth_ += opens ? 1 : -1;
    if (depth_ > 0) return true;
    end = at + 1;
    return false;
  });
  return end;
}

}  // namespace quintet::json_stream
