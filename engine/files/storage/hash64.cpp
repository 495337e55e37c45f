#include "engine/files/storage/hash64.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>

namespace quintet {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read as they lie");

constexpr std::uint64_t prime1 = 0x9E3779B185EBCA87, prime2 = 0xC2B2AE3D27D4EB4F,
                        prime3 = 0x165667B19E3779F9, prime4 = 0x85EBCA77C2B2AE63,
                        prime5 = 0x27D4EB2F165667C5;

template <class Word>
std::uint64_t take(std::span<const std::byte>& bytes) {
  Word word;
  std::memcpy(&word, bytes.data(), sizeof word);
  bytes = bytes.subspan(sizeof word);
  return word;
}

std::uint64_t round_of(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * prime2, 31) * prime1;
}

std::uint64_t stripes(std::span<const std::byte>& bytes, std::uint64_t seed) {
  std::array<std::uint64_t, 4> lanes{seed + prime1 + prime2, seed + prime2, seed, seed - prime1};
  while (bytes.size() >= 32)
    for (std::uint64_t& lane : lanes) lane = round_of(lane, take<std::uint64_t>(bytes));
  std::uint64_t hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
                       std::rotl(lanes[3], 18);
  for (const std::uint64_t lane : lanes) hash = (hash ^ round_of(0, lane)) * prime1 + prime4;
  return hash;
}

}  // namespace

std::uint64_t hash64(std::span<const std::byte> bytes, std::uint64_t seed) {
  const std::uint64_t length = bytes.size();
  std::uint64_t hash = length >= 32 ? stripes(bytes, seed) : seed + prime5;
  hash += length;
  while (bytes.size() >= 8)
    hash = std::rotl(hash ^ round_of(0, take<std::uint64_t>(bytes)), 27) * prime1 + prime4;
  if (bytes.size() >= 4)
    hash = std::rotl(hash ^ take<std::uint32_t>(bytes) * prime1, 23) * prime2 + prime3;
  while (!bytes.empty()) hash = std::rotl(hash ^ take<std::uint8_t>(bytes) * prime5, 11) * prime1;
  hash = (hash ^ (hash >> 33)) * prime2;
  hash = (hash ^ (hash >> 29)) * prime3;
  return hash ^ (hash >> 32);
}

std::uint64_t hash64(std::string_view text, std::uint64_t seed) {
  return hash64(std::as_bytes(std::span(text.data(), text.size())), seed);
}

std::string hexadecimal(std::uint64_t number) {
  std::string text(16, '0');
  for (std::size_t digit = 16; digit-- > 0; number >>= 4)
    text[digit] = "0123456789abcdef"[number & 15];
  return text;
}

std::optional<std::uint64_t> parse_hexadecimal(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (text.size() != 16 || failure != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

}  // namespace quintet
