// What ranks say to each other over a route: heads of one length, some with bytes behind them. What
// goes from one rank to another is a stream of numbered segments, which outlives the connections
// that carry it: whoever receives says which came, and what did not come is sent again elsewhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace quintet::engine {

enum class RouteFrame : std::uint32_t {
  segment = 1,  // sender: bytes of a message
  offer,        // sender, numbered as segments are: a message too long to be sent unasked
  ping,         // sender: asks for nothing but the kernel's acknowledgement
  received,     // receiver: all segments up to `number`
  wanted,       // receiver: the message that was offered
};

struct RouteHead {
  RouteFrame kind = RouteFrame::ping;
  std::uint32_t size = 0;     // bytes that follow
  std::uint64_t number = 0;   // of the segment in its stream, from 1
  std::uint64_t message = 0;  // of the stream
  std::uint64_t tag = 0;
  std::uint64_t total = 0;  // bytes of the message
  std::uint64_t offset = 0;
  bool operator==(const RouteHead&) const = default;
};

constexpr std::size_t route_head_size = 48;
using RouteHeadBytes = std::array<std::byte, route_head_size>;

// So many bytes of a message go before another message has its turn.
constexpr std::size_t largest_segment = 128 * 1024;
// Messages from 1 MiB on are offered first: what comes unasked is kept in the receiver's memory.
constexpr std::size_t largest_unasked = 1024 * 1024 - 1;

RouteHeadBytes bytes_of(const RouteHead& head);
// Nothing: no sender of ours says that.
std::optional<RouteHead> read_head(std::span<const std::byte, route_head_size> bytes);

}  // namespace quintet::engine
