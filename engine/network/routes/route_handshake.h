// How a connection between two ranks proves that it is of this job before anything else is read
// from it: who was connected to asks with a nonce, who connects proves the job's token over both
// sides' nonces (HMAC-SHA-256, as at the rendezvous), and is proven to in return.
//
//   challenge ->   nonce
//   <- hello       who from, to whom, by which route; nonce; proof
//   answer ->      proof; the last segment that came of the stream
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_proof.h"

namespace quintet::engine {

struct RouteHello {
  std::uint32_t from = 0, to = 0, world = 0;  // ranks
  std::uint32_t lane = 0, route = 0;
  bool operator==(const RouteHello&) const = default;
};

struct RouteHandshake {
  Nonce asked{};    // of whom is connected to
  Nonce answers{};  // of who connects
  RouteHello hello;
};

constexpr std::size_t challenge_size = 8 + 32;
constexpr std::size_t hello_size = 6 * 4 + 32 + 32;
constexpr std::size_t answer_size = 32 + 8;

std::vector<std::byte> challenge_bytes(const Nonce& asked);
std::vector<std::byte> hello_bytes(std::string_view token, const RouteHandshake& handshake);
std::vector<std::byte> answer_bytes(std::string_view token, const RouteHandshake& handshake,
                                    std::uint64_t last);

// Each from exactly as many bytes; nothing: it is none, or the proof is wrong.
std::optional<Nonce> read_challenge(std::span<const std::byte> bytes);
std::optional<RouteHandshake> read_hello(std::string_view token, const Nonce& asked,
                                         std::span<const std::byte> bytes);
// Whether they may be the beginning of a hello: most strangers are known by their first bytes.
bool may_begin_hello(std::span<const std::byte> bytes);
std::optional<std::uint64_t> read_answer(std::string_view token, const RouteHandshake& handshake,
                                         std::span<const std::byte> bytes);

}  // namespace quintet::engine
