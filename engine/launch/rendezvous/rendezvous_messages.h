// The bodies of the frames that have more than one field.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_failure.h"
#include "engine/launch/rendezvous/rendezvous_proof.h"

namespace quintet::engine {

constexpr std::uint32_t rendezvous_version = 1;

struct JoinMessage {
  std::uint32_t version = rendezvous_version;
  std::uint32_t rank = 0;
  std::uint32_t world = 0;
  Nonce nonce{};
  Proof proof{};
  bool operator==(const JoinMessage&) const = default;
};
std::vector<std::byte> join_body(const JoinMessage& message);
std::optional<JoinMessage> read_join(std::span<const std::byte> body);

std::vector<std::byte> failure_body(const Failure& failure);
std::optional<Failure> read_failure(std::span<const std::byte> body, int world);

// A 32-byte nonce or proof alone in a body.
std::optional<Nonce> read_nonce(std::span<const std::byte> body);

std::optional<std::vector<std::vector<std::byte>>> read_members(std::span<const std::byte> body,
                                                                int world);

}  // namespace quintet::engine
