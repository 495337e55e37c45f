// What the wire does to one connection: its hash at each hop, and its headers.
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

// Bytes beside the payload of one packet (models.md 2.4). TCP: preamble and start 8, Ethernet 14 +
// 4, gap 12, IPv4 20, TCP 20.
double header_bytes(NetworkProtocol protocol) {
  switch (protocol) {
    case NetworkProtocol::infiniband:
      return 26.0;
    case NetworkProtocol::roce:
      return 82.0;
    case NetworkProtocol::tcp:
      return 78.0;
  }
  return 0.0;
}

}  // namespace

std::uint64_t hash_connection(const ConnectionKey& key, std::uint64_t seed, std::uint64_t hop) {
  constexpr std::uint64_t step = 0x9e3779b97f4a7c15u;  // odd, near 2^64 / golden ratio
  std::uint64_t state = mix(seed + step);
  for (const std::uint64_t part : {key.source, key.destination, key.queue_pair, hop})
    state = mix((state ^ part) + step);
  return state;
}

double framing_efficiency(NetworkProtocol protocol, int mtu) {
  return mtu / (mtu + header_bytes(protocol));
}

}  // namespace quintet
