#include "engine/peers/transport_messages.h"

#include <algorithm>
#include <cstring>

namespace quintet::engine {

namespace {

constexpr std::uint64_t label = 0x53'5441'5445;  // "STATE": nobody else's

}  // namespace

TransportMessages::TransportMessages(Transport& transport, Milliseconds within)
    : transport_(transport), within_(within) {}

void TransportMessages::send(Rank to, const std::string& text) {
  leaving_.remove_if([](const Moving& each) { return each.operation->ended(); });
  Moving& moving = leaving_.emplace_back();
  moving.bytes.resize(longest + 1);
  std::memcpy(moving.bytes.data(), text.data(), std::min(text.size(), longest));
  moving.operation = transport_.send(to, label, moving.bytes, within_);
}

Result<std::optional<std::string>> TransportMessages::receive(Rank from, Patience patience) {
  Moving& moving = awaited_[from.value];
  if (!moving.operation) {
    moving.bytes.resize(longest + 1);
    moving.operation = transport_.receive(from, label, moving.bytes, within_);
  }
  if (patience == Patience::none && !moving.operation->ended()) return std::optional<std::string>();
  if (const std::optional<Failure> failure = moving.operation->wait()) return failure->error();
  std::optional<std::string> text(reinterpret_cast<const char*>(moving.bytes.data()));
  awaited_.erase(from.value);
  return text;
}

}  // namespace quintet::engine
