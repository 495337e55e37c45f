#include "engine/peers/transport_peers.h"

#include <algorithm>
#include <cstring>

namespace quintet::engine {

namespace {

constexpr std::uint64_t text_label = 0x53'5441'5445;  // "STATE": nobody else's

std::optional<Error> ended(Operation operation) {
  const std::optional<Failure> failure = operation.wait();
  return failure ? std::optional(failure->error()) : std::nullopt;
}

}  // namespace

std::optional<Error> TransportPeers::give(Rank to, std::uint64_t label,
                                          std::span<const std::byte> bytes) {
  return ended(transport_.send(to, label, bytes, within_));
}

std::optional<Error> TransportPeers::take(Rank from, std::uint64_t label,
                                          std::span<std::byte> bytes) {
  return ended(transport_.receive(from, label, bytes, within_));
}

// The reply finds its place waiting.
std::optional<Error> TransportPeers::ask(Rank peer, const Question& question) {
  Operation back = transport_.receive(peer, question.reply_label, question.reply, within_);
  Operation there = transport_.send(peer, question.label, {}, within_);
  std::optional<Error> failed = ended(std::move(back));
  const std::optional<Error> unsent = ended(std::move(there));
  return failed ? failed : unsent;
}

void TransportPeers::send_text(Rank to, const std::string& text) {
  leaving_.remove_if([](const Moving& each) { return each.operation->ended(); });
  Moving& moving = leaving_.emplace_back();
  moving.bytes.resize(longest_text + 1);
  std::memcpy(moving.bytes.data(), text.data(), std::min(text.size(), longest_text));
  moving.operation = transport_.send(to, text_label, moving.bytes, text_within_);
}

Result<std::optional<std::string>> TransportPeers::receive_text(Rank from, Patience patience) {
  Moving& moving = awaited_[from.value];
  if (!moving.operation) {
    moving.bytes.resize(longest_text + 1);
    moving.operation = transport_.receive(from, text_label, moving.bytes, text_within_);
  }
  if (patience == Patience::none && !moving.operation->ended()) return std::optional<std::string>();
  if (const std::optional<Failure> failure = moving.operation->wait()) return failure->error();
  std::optional<std::string> text(reinterpret_cast<const char*>(moving.bytes.data()));
  awaited_.erase(from.value);
  return text;
}

std::optional<Error> TransportPeers::failure() const {
  const std::optional<Failure> failure = transport_.failure();
  return failure ? std::optional(failure->error()) : std::nullopt;
}

}  // namespace quintet::engine
