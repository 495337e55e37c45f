// XXH64, as its specification says: https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md.
// Finds damage by accident; it is no protection against a forger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace quintet {

// XXH64 of the bytes.
std::uint64_t hash64(std::span<const std::byte> bytes, std::uint64_t seed = 0);
std::uint64_t hash64(std::string_view text, std::uint64_t seed = 0);

// Sixteen digits, as files carry it.
std::string hexadecimal(std::uint64_t number);
std::optional<std::uint64_t> parse_hexadecimal(std::string_view text);

}  // namespace quintet
