#include "engine/launch/rendezvous/rendezvous_proof.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <cassert>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_frames.h"

namespace quintet::engine {

namespace {

// The purpose keeps a proof of one side from serving as one of the other.
Proof proof(std::string_view token, std::string_view purpose, const Handshake& handshake) {
  BodyWriter message;
  message.text(purpose);
  message.bytes(handshake.server);
  message.bytes(handshake.client);
  message.number(handshake.rank);
  message.number(handshake.world);
  return hmac_sha256(token, message.body());
}

}  // namespace

Result<Nonce> fresh_nonce() {
  Nonce nonce{};
  if (RAND_bytes(reinterpret_cast<unsigned char*>(nonce.data()), static_cast<int>(nonce.size())) !=
      1)
    return Error{"rendezvous", "the system gave no random numbers"};
  return nonce;
}

Result<std::string> fresh_token() {
  const Result<Nonce> nonce = fresh_nonce();
  if (!nonce) return nonce.error();
  std::string token;
  for (const std::byte byte : *nonce) {
    constexpr std::string_view digits = "0123456789abcdef";
    token += digits[std::to_integer<std::size_t>(byte >> 4)];
    token += digits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return token;
}

Proof hmac_sha256(std::string_view key, std::span<const std::byte> message) {
  Proof result{};
  unsigned length = 0;
  [[maybe_unused]] const unsigned char* done =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(message.data()), message.size(),
           reinterpret_cast<unsigned char*>(result.data()), &length);
  assert(done != nullptr && length == result.size());
  return result;
}

Proof rank_proof(std::string_view token, const Handshake& handshake) {
  return proof(token, "quintet rank", handshake);
}

Proof server_proof(std::string_view token, const Handshake& handshake) {
  return proof(token, "quintet server", handshake);
}

bool equal(const Proof& a, const Proof& b) {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace quintet::engine
