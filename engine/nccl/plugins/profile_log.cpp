#include "engine/nccl/plugins/profile_log.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/json/json_fields.h"

namespace quintet::engine {

namespace {

using nlohmann::json;

constexpr int most = 1 << 30;

// The plan's word as NCCL writes it: "nvls-tree" -> "NVLS_TREE".
std::string shouted(std::string_view word) {
  std::string text(word);
  for (char& letter : text)
    letter =
        letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return text;
}

struct KindWord {
  std::string_view function;
  CollectiveKind kind;
  bool counts_parts;  // NCCL's count is that of one rank's part
};
constexpr std::array kind_words{KindWord{"AllReduce", CollectiveKind::all_reduce, false},
                                KindWord{"ReduceScatter", CollectiveKind::reduce_scatter, true},
                                KindWord{"AllGather", CollectiveKind::all_gather, true},
                                KindWord{"Broadcast", CollectiveKind::broadcast, false},
                                KindWord{"Reduce", CollectiveKind::reduce, false}};

const KindWord* kind_of(const ProfiledOperation& operation) {
  const auto found = std::find_if(kind_words.begin(), kind_words.end(), [&](const KindWord& word) {
    return word.function == operation.function;
  });
  return found == kind_words.end() ? nullptr : &*found;
}

std::uint64_t element_bytes(const std::string& type) {
  if (type == "ncclFloat32") return 4;
  if (type == "ncclBfloat16") return 2;
  return type == "ncclUint8" ? 1 : 0;
}

std::uint64_t whole_number(JsonObject& fields, const char* key) {
  const json* const value = fields.raw(key);
  if (value != nullptr && value->is_number_unsigned()) return value->get<std::uint64_t>();
  fields.fail(key, "expected a whole number");
  return 0;
}

// [[channel, start, stop], ...]
std::vector<ChannelTime> times_of(JsonObject& fields, const char* key) {
  std::vector<ChannelTime> times;
  const json* const value = fields.raw(key);
  const auto is_time = [](const json& item) {
    return item.is_array() && item.size() == 3 &&
           std::all_of(item.begin(), item.end(),
                       [](const json& number) { return number.is_number_unsigned(); });
  };
  if (value == nullptr || !value->is_array() ||
      !std::all_of(value->begin(), value->end(), is_time)) {
    fields.fail(key, "expected a list of [channel, start, stop]");
    return times;
  }
  for (const json& item : *value)
    times.push_back(
        {item[0].get<int>(), item[1].get<std::uint64_t>(), item[2].get<std::uint64_t>()});
  return times;
}

Result<ProfiledOperation> parse_operation(const std::string& line, const std::string& where) {
  const Result<json> parsed = parse_json(line, where);
  if (!parsed) return parsed.error();
  JsonObject fields(*parsed, where);
  ProfiledOperation operation;
  const json* const name = fields.raw("communicator");
  if (name != nullptr && name->is_string()) operation.communicator = name->get<std::string>();
  operation.id = fields.text("id");
  operation.rank = fields.integer("rank", 0, most);
  operation.ranks = fields.integer("ranks", 1, most);
  operation.nodes = fields.integer("nodes", 1, most);
  operation.function = fields.text("function");
  operation.type = fields.text("type");
  operation.count = whole_number(fields, "count");
  operation.algorithm = fields.text_or("algorithm", "");
  operation.protocol = fields.text_or("protocol", "");
  operation.channels = fields.integer("channels", 0, 255);
  if (fields.raw("sequence") != nullptr) operation.sequence = whole_number(fields, "sequence");
  fields.raw("peer");
  fields.raw("duration_ns");
  if (fields.boolean("complete"))
    operation.duration = Seconds{static_cast<double>(whole_number(fields, "duration_ns")) * 1e-9};
  operation.times = times_of(fields, "channel_times_ns");
  fields.refuse_unknown_keys();
  if (fields.failed()) return *fields.error();
  return operation;
}

}  // namespace

Result<std::vector<ProfiledOperation>> read_profile(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) return Error{file.string(), "cannot be read"};
  std::vector<ProfiledOperation> operations;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    Result<ProfiledOperation> operation =
        parse_operation(line, file.string() + ": line " + std::to_string(++number));
    if (!operation) return operation.error();
    operations.push_back(*std::move(operation));
  }
  return operations;
}

std::optional<std::uint64_t> buffer_bytes(const ProfiledOperation& operation) {
  const KindWord* const kind = kind_of(operation);
  const std::uint64_t element = element_bytes(operation.type);
  if (kind == nullptr || element == 0) return std::nullopt;
  const auto parts = static_cast<std::uint64_t>(kind->counts_parts ? operation.ranks : 1);
  return operation.count * element * parts;
}

std::optional<std::string> departure(const TunerRules& rules, const ProfiledOperation& operation) {
  const std::optional<std::uint64_t> bytes = buffer_bytes(operation);
  if (!bytes || rules.communicator != operation.communicator) return std::nullopt;
  const TunerRule* const rule = rule_for(rules, kind_of(operation)->kind, *bytes);
  if (rule == nullptr) return std::nullopt;
  const bool other_algorithm =
      rule->algorithm && shouted(name_of(*rule->algorithm)) != operation.algorithm;
  const bool other_protocol =
      rule->protocol && shouted(name_of(*rule->protocol)) != operation.protocol;
  const bool more_channels = rule->channels && *rule->channels < operation.channels;
  if (!other_algorithm && !other_protocol && !more_channels) return std::nullopt;
  return std::string(name_of(rule->kind)) + " of " + std::to_string(*bytes) + " bytes on \"" +
         rules.communicator + "\": asked for " +
         std::string(rule->algorithm ? name_of(*rule->algorithm) : "any algorithm") + ", " +
         std::string(rule->protocol ? name_of(*rule->protocol) : "any protocol") + ", " +
         (rule->channels ? std::to_string(*rule->channels) : "any number of") +
         " channels; NCCL took " + operation.algorithm + ", " + operation.protocol + ", " +
         std::to_string(operation.channels) + " channels";
}

}  // namespace quintet::engine
