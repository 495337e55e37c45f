#include "traces/nsight/nvtx_payload.h"

#include <bit>
#include <cstring>

namespace quintet::nsight {
namespace {

constexpr std::size_t head = 32;

template <class Number>
std::optional<std::int64_t> number_at(std::string_view bytes, std::size_t at) {
  static_assert(std::endian::native == std::endian::little);  // as what was profiled is
  if (at > bytes.size() || bytes.size() - at < sizeof(Number)) return std::nullopt;
  Number number{};
  std::memcpy(&number, bytes.data() + at, sizeof(Number));
  return static_cast<std::int64_t>(number);
}

// By NVTX's numbers of types (nvToolsExtPayload.h).
std::optional<std::int64_t> number_of_type(std::int64_t type, std::string_view bytes,
                                           std::size_t at) {
  switch (type) {
    case 5:   // int
    case 15:  // int32
      return number_at<std::int32_t>(bytes, at);
    case 6:
    case 16:
      return number_at<std::uint32_t>(bytes, at);
    case 7:  // long
    case 9:  // long long
    case 17:
      return number_at<std::int64_t>(bytes, at);
    case 8:
    case 10:
    case 18:
    case 22:  // size_t
      return number_at<std::uint64_t>(bytes, at);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Error> NvtxPayloads::read_schemas(const Database& database) {
  return database.each("NVTX_PAYLOAD_SCHEMA_ENTRIES", {"schemaId"}, {"type", "name", "offset"},
                       [&](const TableRow& row) {
                         // The first field's offset may be NULL: it lies at 0.
                         fields_[{row.needed(0), std::string(row.text(2))}] = {
                             row.integer(1).value_or(0), row.integer(3).value_or(0)};
                       });
}

std::optional<std::int64_t> NvtxPayloads::field(std::string_view blob,
                                                const std::string& name) const {
  const auto schema = number_at<std::uint32_t>(blob, 8);
  if (!schema || blob.size() < head) return std::nullopt;
  const auto found = fields_.find({*schema, name});
  if (found == fields_.end() || found->second.offset < 0) return std::nullopt;
  return number_of_type(found->second.type, blob.substr(head),
                        static_cast<std::size_t>(found->second.offset));
}

}  // namespace quintet::nsight
