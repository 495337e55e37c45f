#include "engine/network/routes/route_handshake.h"

#include <algorithm>
#include <string>

#include "engine/launch/rendezvous/rendezvous_frames.h"

namespace quintet::engine {

namespace {

constexpr std::string_view greeting = "quintet1";
constexpr std::uint32_t route_version = 1;

template <class Array>
Array array_of(std::span<const std::byte> bytes) {
  Array array{};
  std::copy_n(bytes.begin(), std::min(bytes.size(), array.size()), array.begin());
  return array;
}

void write(BodyWriter& body, const RouteHello& hello) {
  for (const std::uint32_t field :
       {route_version, hello.from, hello.to, hello.world, hello.lane, hello.route})
    body.number(field);
}

void write_long(BodyWriter& body, std::uint64_t value) {
  body.number(static_cast<std::uint32_t>(value & 0xffffffffu));
  body.number(static_cast<std::uint32_t>(value >> 32));
}

// The purpose keeps a proof of one side from serving as one of the other, or at the rendezvous.
Proof proof(std::string_view token, std::string_view purpose, const RouteHandshake& handshake,
            std::uint64_t last) {
  BodyWriter message;
  message.text(purpose);
  message.bytes(handshake.asked);
  message.bytes(handshake.answers);
  write(message, handshake.hello);
  write_long(message, last);
  return hmac_sha256(token, message.body());
}

Proof callers_proof(std::string_view token, const RouteHandshake& handshake) {
  return proof(token, "quintet route", handshake, 0);
}

}  // namespace

std::vector<std::byte> challenge_bytes(const Nonce& asked) {
  BodyWriter body;
  body.bytes(std::as_bytes(std::span(greeting)));
  body.bytes(asked);
  return body.body();
}

std::optional<Nonce> read_challenge(std::span<const std::byte> bytes) {
  const auto expected = std::as_bytes(std::span(greeting));
  if (bytes.size() != challenge_size ||
      !std::equal(expected.begin(), expected.end(), bytes.begin()))
    return std::nullopt;
  return array_of<Nonce>(bytes.subspan(greeting.size()));
}

std::vector<std::byte> hello_bytes(std::string_view token, const RouteHandshake& handshake) {
  BodyWriter body;
  write(body, handshake.hello);
  body.bytes(handshake.answers);
  body.bytes(callers_proof(token, handshake));
  return body.body();
}

std::optional<RouteHandshake> read_hello(std::string_view token, const Nonce& asked,
                                         std::span<const std::byte> bytes) {
  if (bytes.size() != hello_size) return std::nullopt;
  BodyReader body(bytes);
  const std::uint32_t version = body.number();
  RouteHandshake handshake;
  handshake.asked = asked;
  RouteHello& hello = handshake.hello;
  for (std::uint32_t* const field :
       {&hello.from, &hello.to, &hello.world, &hello.lane, &hello.route})
    *field = body.number();
  handshake.answers = array_of<Nonce>(body.bytes(handshake.answers.size()));
  const Proof given = array_of<Proof>(body.bytes(Proof{}.size()));
  if (version != route_version || !equal(given, callers_proof(token, handshake)))
    return std::nullopt;
  return handshake;
}

bool may_begin_hello(std::span<const std::byte> bytes) {
  BodyWriter body;
  body.number(route_version);
  const std::size_t known = std::min(bytes.size(), body.body().size());
  return std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(known),
                    body.body().begin());
}

std::vector<std::byte> answer_bytes(std::string_view token, const RouteHandshake& handshake,
                                    std::uint64_t last) {
  BodyWriter body;
  body.bytes(proof(token, "quintet route taken", handshake, last));
  write_long(body, last);
  return body.body();
}

std::optional<std::uint64_t> read_answer(std::string_view token, const RouteHandshake& handshake,
                                         std::span<const std::byte> bytes) {
  if (bytes.size() != answer_size) return std::nullopt;
  BodyReader body(bytes);
  const Proof given = array_of<Proof>(body.bytes(Proof{}.size()));
  const std::uint64_t low = body.number();
  const std::uint64_t last = low | std::uint64_t{body.number()} << 32;
  if (!equal(given, proof(token, "quintet route taken", handshake, last))) return std::nullopt;
  return last;
}

}  // namespace quintet::engine
