#include "engine/files/checkpoint/manifest.h"

#include <cmath>
#include <set>

#include "engine/files/storage/hash64.h"
#include "sim/base/shown_text.h"
#include "sim/json/json_fields.h"
#include "sim/json/json_value.h"

namespace quintet {
namespace {

using Json = JsonValue;

constexpr int format_version = 1;

Json state_json(const TrainingPosition& state) {
  return {{"step", state.step},
          {"optimizer_step", state.optimizer_step},
          {"weight_seed", state.weight_seed},
          {"dropout_seed", state.dropout_seed},
          {"data_seed", state.data_seed},
          {"next_sequence", state.next_sequence},
          {"loss_scale", state.loss_scale},
          {"steps_since_overflow", state.steps_since_overflow}};
}

Json summary_json(const ShardSummary& summary) {
  return {{"file", summary.file},
          {"size", summary.size},
          {"header_xxh64", hexadecimal(summary.header_checksum)}};
}

Json content_json(const Manifest& manifest) {
  Json shards = Json::array();
  for (const ShardSummary& shard : manifest.shards) shards.push_back(summary_json(shard));
  return {{"state", state_json(manifest.state)}, {"shards", shards}, {"notes", manifest.notes}};
}

std::uint64_t natural(JsonObject& fields, std::string_view key) {
  const nlohmann::json* const json = fields.raw(key);
  if (json != nullptr && json->is_number_unsigned()) return json->get<std::uint64_t>();
  fields.fail(key, "expected a whole number from 0 on");
  return 0;
}

std::int64_t count(JsonObject& fields, std::string_view key) {
  const std::uint64_t number = natural(fields, key);
  if (number > std::uint64_t{1} << 62) fields.fail(key, "is above 2^62");
  return static_cast<std::int64_t>(number & ~(std::uint64_t{1} << 63));
}

TrainingPosition read_state(JsonObject fields, JsonObject& root) {
  TrainingPosition state;
  state.step = count(fields, "step");
  state.optimizer_step = count(fields, "optimizer_step");
  state.weight_seed = natural(fields, "weight_seed");
  state.dropout_seed = natural(fields, "dropout_seed");
  state.data_seed = natural(fields, "data_seed");
  state.next_sequence = count(fields, "next_sequence");
  state.loss_scale = fields.number("loss_scale");
  if (!(state.loss_scale > 0)) fields.fail("loss_scale", "expected a number above 0");
  state.steps_since_overflow = count(fields, "steps_since_overflow");
  fields.refuse_unknown_keys();
  root.adopt(fields);
  return state;
}

bool names_a_file(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

ShardSummary read_summary(JsonObject& fields) {
  ShardSummary summary;
  summary.file = fields.text("file");
  if (!names_a_file(summary.file)) fields.fail("file", "expected the name of a file beside this");
  summary.size = natural(fields, "size");
  const std::optional<std::uint64_t> checksum = parse_hexadecimal(fields.text("header_xxh64"));
  if (!checksum) fields.fail("header_xxh64", "expected 16 hexadecimal digits");
  summary.header_checksum = checksum.value_or(0);
  fields.refuse_unknown_keys();
  return summary;
}

void read_shards(JsonObject& root, Manifest& manifest) {
  std::set<std::string> names;
  for (JsonObject& fields : root.objects_or_empty("shards")) {
    manifest.shards.push_back(read_summary(fields));
    if (!names.insert(manifest.shards.back().file).second)
      fields.fail("file", in_quotes(manifest.shards.back().file) + " appears twice");
    root.adopt(fields);
  }
  if (!root.failed() && manifest.shards.empty()) root.fail("shards", "expected at least one");
}

void read_notes(JsonObject& root, Manifest& manifest) {
  const nlohmann::json* const notes = root.raw("notes");
  if (notes == nullptr || !notes->is_object()) return root.fail("notes", "expected an object");
  for (const auto& [key, value] : notes->items()) {
    if (!value.is_string()) return root.fail("notes", "expected texts");
    manifest.notes.emplace(key, value.get<std::string>());
  }
}

}  // namespace

std::string manifest_text(const Manifest& manifest) {
  Json json = content_json(manifest);
  const std::string checksum = hexadecimal(hash64(std::string_view(json.dump())));
  Json whole = Json::object();
  whole["format"] = format_version;
  whole.update(json);
  whole["xxh64"] = checksum;
  return whole.dump(1) + "\n";
}

Result<Manifest> parse_manifest(const std::string& text, const std::string& where) {
  const Result<nlohmann::json> json = parse_json(text, where);
  if (!json) return json.error();
  JsonObject root(*json, where);
  root.integer("format", format_version, format_version);
  Manifest manifest;
  JsonObject state = root.object("state");
  if (root.failed()) return *root.error();
  manifest.state = read_state(std::move(state), root);
  read_shards(root, manifest);
  read_notes(root, manifest);
  const std::string written = root.text("xxh64");
  root.refuse_unknown_keys();
  if (root.failed()) return *root.error();
  const std::string found = hexadecimal(hash64(std::string_view(content_json(manifest).dump())));
  if (found != written)
    return Error{where + ": xxh64", "the manifest is damaged: its checksum is " + found +
                                        ", written was " + in_quotes(written)};
  return manifest;
}

std::string summary_text(const ShardSummary& summary) {
  return summary_json(summary).dump();
}

Result<ShardSummary> parse_summary(const std::string& text, const std::string& where) {
  const Result<nlohmann::json> json = parse_json(text, where);
  if (!json) return json.error();
  JsonObject fields(*json, where);
  const ShardSummary summary = read_summary(fields);
  if (fields.failed()) return *fields.error();
  return summary;
}

}  // namespace quintet
