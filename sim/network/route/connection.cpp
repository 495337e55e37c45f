// Which way a connection takes where several are as short: its hash at each hop.
#include "sim/network/route/route.h"

namespace quintet {
namespace {

// Finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
// OOPSLA 2014; constants by Stafford, variant 13).
std::uint64_t mix(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

}  // namespace

std::uint64_t hash_connection(const ConnectionKey& key, std::uint64_t seed, std::uint64_t hop) {
  constexpr std::uint64_t step = 0x9e3779b97f4a7c15u;  // odd, near 2^64 / golden ratio
  std::uint64_t state = mix(seed + step);
  for (const std::uint64_t part : {key.source, key.destination, key.queue_pair, hop})
    state = mix((state ^ part) + step);
  return state;
}

}  // namespace quintet
