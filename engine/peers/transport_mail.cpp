#include "engine/peers/transport_mail.h"

namespace quintet::engine {

namespace {

std::optional<Error> ended(Operation operation) {
  const std::optional<Failure> failure = operation.wait();
  return failure ? std::optional(failure->error()) : std::nullopt;
}

}  // namespace

std::optional<Error> TransportMail::give(Rank to, std::uint64_t label,
                                         std::span<const std::byte> bytes) {
  return ended(transport_.send(to, label, bytes, within_));
}

std::optional<Error> TransportMail::take(Rank from, std::uint64_t label,
                                         std::span<std::byte> bytes) {
  return ended(transport_.receive(from, label, bytes, within_));
}

// The reply finds its place waiting.
std::optional<Error> TransportMail::ask(Rank peer, const Question& question) {
  Operation back = transport_.receive(peer, question.reply_label, question.reply, within_);
  Operation there = transport_.send(peer, question.label, {}, within_);
  std::optional<Error> failed = ended(std::move(back));
  const std::optional<Error> unsent = ended(std::move(there));
  return failed ? failed : unsent;
}

}  // namespace quintet::engine
