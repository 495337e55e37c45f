// Proof of the job token without sending it: HMAC-SHA-256 (RFC 2104) over fresh nonces of both
// sides, so that an overheard proof is worth nothing later.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/base/result.h"

namespace quintet::engine {

using Nonce = std::array<std::byte, 32>;
using Proof = std::array<std::byte, 32>;

// Guessing must be hopeless offline, since whoever pretends to be the server is shown a proof.
constexpr std::size_t shortest_token = 16;

// From the system's random numbers, as the token; fails where it gives none.
Result<Nonce> fresh_nonce();
Result<std::string> fresh_token();  // 64 hexadecimal digits

// RFC 2104 with SHA-256.
Proof hmac_sha256(std::string_view key, std::span<const std::byte> message);

// What both sides have said so far. A rank proves first; the server answers only a right proof.
struct Handshake {
  Nonce server{};
  Nonce client{};
  std::uint32_t rank = 0;
  std::uint32_t world = 0;
};
Proof rank_proof(std::string_view token, const Handshake& handshake);
Proof server_proof(std::string_view token, const Handshake& handshake);

bool equal(const Proof& a, const Proof& b);  // in a time that does not tell where they differ

}  // namespace quintet::engine
