#include "traces/chakra/recognise.h"

#include <cstdint>
#include <optional>

#include "traces/chakra/chakra.h"
#include "traces/chakra/json_nodes.h"

namespace quintet {

namespace {

std::optional<std::uint64_t> varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
  return {};
}

enum class Message { metadata, node };

// Of how each field is packed: 0 a number, 2 bytes.
bool has_field(Message message, std::uint64_t field, std::uint64_t packing) {
  if (message == Message::metadata) return packing == 2 && (field == 1 || field == 2);
  if (field == 1 || field == 3 || field == 6 || field == 7) return packing == 0;
  if (field == 4 || field == 5) return packing == 0 || packing == 2;
  return packing == 2 && (field == 2 || (field >= 8 && field <= 10));
}

// Whether what there is of a message of `size` bytes consists of its fields.
bool is_plausible(Message message, std::string_view bytes, std::uint64_t size) {
  const bool cut = bytes.size() < size;
  while (!bytes.empty()) {
    const auto tag = varint(bytes);
    if (!tag) return cut;
    if (!has_field(message, *tag >> 3, *tag & 7)) return false;
    const auto value = varint(bytes);
    if (!value) return cut;
    if ((*tag & 7) == 0) continue;
    if (*value > bytes.size()) return cut && *value <= size;
    bytes.remove_prefix(*value);
  }
  return true;
}

bool is_protobuf(std::string_view beginning) {
  constexpr int looked_at = 4;
  bool something = false;
  for (int i = 0; i < looked_at && !beginning.empty(); ++i) {
    const auto size = varint(beginning);
    if (!size || *size > std::uint64_t{64} << 20) return false;
    if (i > 0 && *size == 0) return false;
    const std::string_view bytes = beginning.substr(0, *size);
    if (!is_plausible(i == 0 ? Message::metadata : Message::node, bytes, *size)) return false;
    something = something || *size > 0;
    beginning.remove_prefix(bytes.size());
  }
  return something;
}

}  // namespace

bool chakra::is_metadata(std::string_view message) {
  return is_plausible(Message::metadata, message, message.size());
}

bool is_chakra(std::string_view beginning) {
  if (chakra::is_json(beginning))
    return beginning.find("\"workload_graph\"") != std::string_view::npos;
  return is_protobuf(beginning);
}

}  // namespace quintet
