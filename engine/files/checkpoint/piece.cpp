#include "engine/files/checkpoint/piece.h"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "engine/files/storage/hash64.h"
#include "sim/base/shown_text.h"
#include "sim/json/json_fields.h"
#include "sim/json/json_value.h"

namespace quintet {
namespace {

using Json = nlohmann::json;

constexpr std::size_t most_dimensions = 16;
// Products of sizes and of element sizes stay inside 63 bits.
constexpr std::int64_t most_elements = std::int64_t{1} << 58;

std::optional<std::int64_t> size_in(const Json* json) {
  if (json == nullptr || !json->is_number_unsigned()) return std::nullopt;
  const auto size = json->get<std::uint64_t>();
  if (size > static_cast<std::uint64_t>(most_elements)) return std::nullopt;
  return static_cast<std::int64_t>(size);
}

Shape read_sizes(JsonObject& fields, std::string_view key) {
  const Json* const json = fields.raw(key);
  Shape sizes;
  if (json != nullptr && json->is_array() && json->size() <= most_dimensions)
    for (const Json& entry : *json)
      if (const std::optional<std::int64_t> size = size_in(&entry)) sizes.push_back(*size);
  if (json == nullptr || !json->is_array() || sizes.size() != json->size())
    fields.fail(key, "expected an array of sizes");
  return sizes;
}

void read_type(JsonObject& fields, Piece& piece) {
  const std::string name = fields.text("type");
  const std::optional<StoredType> type = stored_type_of(name);
  if (!fields.failed() && !type)
    fields.fail("type", "found " + in_quotes(name) + ", expected such as \"F32\"");
  piece.type = type.value_or(StoredType::fp32);
}

void read_place(JsonObject& fields, Piece& piece) {
  piece.tensor_shape = read_sizes(fields, "tensor_shape");
  piece.box = {read_sizes(fields, "offset"), read_sizes(fields, "shape")};
  if (fields.failed()) return;
  const std::optional<std::int64_t> count = checked_elements(piece.tensor_shape);
  if (!count || *count > most_elements)
    fields.fail("tensor_shape", "the product of its sizes is beyond 58 bits");
  if (!lies_in(piece.box, piece.tensor_shape))
    fields.fail("offset", shape_text(piece.box.offset) + " and shape " +
                              shape_text(piece.box.shape) + " lead out of the tensor of shape " +
                              shape_text(piece.tensor_shape));
}

JsonValue piece_json(const StoredPiece& stored) {
  const Piece& piece = stored.piece;
  return {{"tensor", piece.tensor},
          {"type", name_of(piece.type)},
          {"tensor_shape", piece.tensor_shape},
          {"offset", piece.box.offset},
          {"shape", piece.box.shape},
          {"begin", stored.begin},
          {"xxh64", hexadecimal(stored.checksum)}};
}

Result<StoredPiece> parse_piece(const Json& json, const std::string& where) {
  JsonObject fields(json, where);
  StoredPiece stored;
  stored.piece.tensor = fields.text("tensor");
  read_type(fields, stored.piece);
  read_place(fields, stored.piece);
  const std::optional<std::int64_t> begin = size_in(fields.raw("begin"));
  if (!begin) fields.fail("begin", "expected a byte of the file");
  const std::optional<std::uint64_t> checksum = parse_hexadecimal(fields.text("xxh64"));
  if (!checksum) fields.fail("xxh64", "expected 16 hexadecimal digits");
  fields.refuse_unknown_keys();
  if (fields.failed()) return *fields.error();
  stored.begin = static_cast<std::size_t>(*begin);
  stored.checksum = *checksum;
  return stored;
}

}  // namespace

std::string piece_list_text(const std::vector<StoredPiece>& pieces) {
  JsonValue list = JsonValue::array();
  for (const StoredPiece& piece : pieces) list.push_back(piece_json(piece));
  JsonValue header = JsonValue::object();
  header["pieces"] = std::move(list);
  return header.dump();
}

Result<std::vector<StoredPiece>> parse_piece_list(const std::string& text,
                                                  const std::string& where) {
  const Result<Json> json = parse_json(text, where);
  if (!json) return json.error();
  JsonObject root(*json, where);
  const Json* const list = root.raw("pieces");
  if (list == nullptr || !list->is_array()) root.fail("pieces", "expected an array");
  root.refuse_unknown_keys();
  if (root.failed()) return *root.error();
  std::vector<StoredPiece> pieces;
  for (std::size_t i = 0; i < list->size(); ++i) {
    Result<StoredPiece> piece = parse_piece((*list)[i], fmt::format("{}: pieces[{}]", where, i));
    if (!piece) return piece.error();
    pieces.push_back(std::move(*piece));
  }
  return pieces;
}

}  // namespace quintet
