#include "engine/launch/rendezvous/rendezvous_messages.h"

#include <algorithm>

#include "engine/launch/rendezvous/rendezvous_body.h"

namespace quintet::engine {

namespace {

Nonce taken(BodyReader& body) {
  Nonce nonce{};
  const std::span<const std::byte> bytes = body.bytes(nonce.size());
  std::copy(bytes.begin(), bytes.end(), nonce.begin());
  return nonce;
}

}  // namespace

std::vector<std::byte> join_body(const JoinMessage& message) {
  BodyWriter body;
  body.number(message.version);
  body.number(message.rank);
  body.number(message.world);
  body.bytes(message.nonce);
  body.bytes(message.proof);
  return body.body();
}

std::optional<JoinMessage> read_join(std::span<const std::byte> bytes) {
  BodyReader body(bytes);
  JoinMessage message;
  message.version = body.number();
  message.rank = body.number();
  message.world = body.number();
  message.nonce = taken(body);
  message.proof = taken(body);
  if (!body.whole()) return std::nullopt;
  return message;
}

std::vector<std::byte> failure_body(const Failure& failure) {
  BodyWriter body;
  body.number(static_cast<std::uint32_t>(failure.rank.value));
  body.text(failure.cause);
  return body.body();
}

std::optional<Failure> read_failure(std::span<const std::byte> bytes, int world) {
  BodyReader body(bytes);
  const Rank rank{static_cast<std::int32_t>(body.number())};
  const Failure failure{rank, body.text()};
  if (!body.whole() || rank.value >= world) return std::nullopt;
  return failure;
}

std::optional<Nonce> read_nonce(std::span<const std::byte> bytes) {
  BodyReader body(bytes);
  const Nonce nonce = taken(body);
  if (!body.whole()) return std::nullopt;
  return nonce;
}

std::optional<std::vector<std::vector<std::byte>>> read_members(std::span<const std::byte> bytes,
                                                                int world) {
  BodyReader body(bytes);
  std::vector<std::vector<std::byte>> members;
  for (int rank = 0; rank < world; ++rank) {
    const std::span<const std::byte> address = body.block();
    members.emplace_back(address.begin(), address.end());
  }
  if (!body.whole()) return std::nullopt;
  return members;
}

}  // namespace quintet::engine
