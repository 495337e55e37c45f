#include "engine/network/routes/route_frame.h"

#include <bit>
#include <cstring>

namespace quintet::engine {

// Heads travel as they lie in memory.
static_assert(sizeof(RouteHead) == route_head_size);
static_assert(std::endian::native == std::endian::little);

RouteHeadBytes bytes_of(const RouteHead& head) {
  RouteHeadBytes bytes;
  std::memcpy(bytes.data(), &head, bytes.size());
  return bytes;
}

std::optional<RouteHead> read_head(std::span<const std::byte, route_head_size> bytes) {
  RouteHead head;
  std::memcpy(&head, bytes.data(), bytes.size());
  const bool is_known = head.kind >= RouteFrame::segment && head.kind <= RouteFrame::wanted;
  const bool has_bytes = head.kind == RouteFrame::segment;
  if (!is_known || head.size > (has_bytes ? largest_segment : 0)) return std::nullopt;
  if (head.offset > head.total || head.size > head.total - head.offset) return std::nullopt;
  return head;
}

}  // namespace quintet::engine
