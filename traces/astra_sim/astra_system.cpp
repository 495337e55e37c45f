#include "traces/astra_sim/astra_system.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "sim/base/shown_text.h"
#include "sim/base/text_file.h"
#include "sim/json/json_fields.h"
#include "sim/json/json_value.h"

namespace quintet {
namespace {

constexpr std::array<std::string_view, 4> collective_keys{
    "all-reduce-implementation", "reduce-scatter-implementation", "all-gather-implementation",
    "all-to-all-implementation"};
constexpr std::array algorithms{AstraAlgorithm::ring, AstraAlgorithm::direct,
                                AstraAlgorithm::halving_doubling,
                                AstraAlgorithm::double_binary_tree};
constexpr int most_window = 1 << 20;
constexpr double most_rate = 1e9;

// "oneDirect" is "one" and "Direct".
std::string name_of(const AstraImplementation& implementation) {
  std::string name(quintet::name_of(implementation.algorithm));
  if (implementation.one_ring) {
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
    name = "one" + name;
  }
  return implementation.window < 0 ? name : name + std::to_string(implementation.window);
}

std::optional<int> window_in(std::string_view digits) {
  int window = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), window);
  const bool read = code == std::errc{} && end == digits.data() + digits.size();
  if (!read || window < 1 || window > most_window) return std::nullopt;
  return window;
}

std::optional<AstraImplementation> implementation_of(std::string_view word) {
  for (const AstraAlgorithm algorithm : algorithms)
    for (const bool one : {false, true}) {
      AstraImplementation found{algorithm, one, -1};
      const std::string name = name_of(found);
      if (one && algorithm == AstraAlgorithm::double_binary_tree) continue;
      if (word == name) return found;
      if (algorithm != AstraAlgorithm::direct || !word.starts_with(name)) continue;
      if (const auto window = window_in(word.substr(name.size()))) {
        found.window = *window;
        return found;
      }
    }
  return std::nullopt;
}

std::vector<std::string> texts(JsonObject& object, const FieldKey& key) {
  std::vector<std::string> read;
  const nlohmann::json* list = object.raw(key);
  if (list == nullptr) return read;
  if (!list->is_array()) object.fail(key.name, "expected an array of texts");
  for (const nlohmann::json& item : list->is_array() ? *list : nlohmann::json::array()) {
    if (item.is_string()) {
      read.push_back(item.get<std::string>());
    } else {
      object.fail(key.name, "expected texts, found " + described(item));
    }
  }
  return read;
}

AstraCollective collective_in(JsonObject& object, std::string_view key) {
  AstraCollective collective;
  for (const std::string& word : texts(object, key)) {
    const auto implementation = implementation_of(word);
    if (!implementation) {
      object.fail(key,
                  fmt::format("{} is not known; known are ring, direct, halvingDoubling, oneRing,"
                              " oneDirect, oneHalvingDoubling, doubleBinaryTree, and direct and "
                              "oneDirect with a window, as direct4",
                              in_quotes(word)));
      break;
    }
    collective.per_dimension.push_back(*implementation);
  }
  if (collective.per_dimension.size() > 16) object.fail(key, "more than 16 dimensions");
  const std::string custom = std::string(key) + "-custom";
  const std::vector<std::string> files = texts(object, custom);
  if (files.size() > 1) object.fail(custom, "expected one prefix of .et files for all dimensions");
  if (!files.empty()) collective.custom = files.front();
  return collective;
}

// They write 0 and 1.
bool flag(JsonObject& object, std::string_view key) {
  const nlohmann::json* value = object.raw(key);
  if (value == nullptr) return false;
  if (value->is_boolean()) return value->get<bool>();
  if (value->is_number_integer()) return *value != 0;
  object.fail(key, "expected 0 or 1, found " + described(*value));
  return false;
}

double rate(JsonObject& object, std::string_view key) {
  const double value = object.number_or(key, 0.0);
  if (value < 0.0 || value > most_rate)
    object.fail(key, fmt::format("expected a number from 0 to {}, found {}", most_rate, value));
  return value;
}

struct UnusedKey {
  std::string_view key, why;
};
// Read by ASTRA-sim, and without an effect on its times as long as no bus is shared.
constexpr std::array unused_keys{
    UnusedKey{"boost-mode", "ASTRA-sim no longer reads it"},
    UnusedKey{"local-reduction-delay", "of the shared bus"},
    UnusedKey{"L", "of the shared bus"},
    UnusedKey{"o", "of the shared bus"},
    UnusedKey{"g", "of the shared bus"},
    UnusedKey{"G", "of the shared bus"},
    UnusedKey{"trace-enabled", "of its log"},
    UnusedKey{"track-local-mem", "of its memory trace"},
    UnusedKey{"local-mem-trace-filename", "of its memory trace"},
};

constexpr std::array<std::string_view, 11> used_keys{"scheduling-policy",
                                                     "endpoint-delay",
                                                     "active-chunks-per-dimension",
                                                     "preferred-dataset-splits",
                                                     "collective-optimization",
                                                     "local-mem-bw",
                                                     "peak-perf",
                                                     "roofline-enabled",
                                                     "replay-only",
                                                     "model-shared-bus",
                                                     "per-node-custom-implementation"};

bool is_used(const std::string& key) {
  if (std::find(used_keys.begin(), used_keys.end(), key) != used_keys.end()) return true;
  for (const std::string_view collective : collective_keys)
    if (key == collective || key == std::string(collective) + "-custom") return true;
  return false;
}

// ASTRA-sim overlooks keys that it does not know: said, not refused.
std::vector<LeftOut> left_out_of(const nlohmann::json& json) {
  std::vector<LeftOut> left_out;
  for (const auto& [key, value] : json.items()) {
    if (is_used(key)) continue;
    const auto* unused = std::find_if(unused_keys.begin(), unused_keys.end(),
                                      [&](const UnusedKey& known) { return known.key == key; });
    left_out.push_back({fmt::format("the key {}: {}", in_quotes(key),
                                    unused == unused_keys.end() ? "not known" : unused->why),
                        1});
  }
  return left_out;
}

void read_collectives(JsonObject& object, AstraSystem& system) {
  for (std::size_t at = 0; at < collective_keys.size(); ++at)
    system.collectives[at] = collective_in(object, collective_keys[at]);
}

AstraSystem system_in(JsonObject& object) {
  AstraSystem system;
  system.policy = object.one_of_or("scheduling-policy", std::optional(system.policy),
                                   {{"LIFO", AstraPolicy::last_in_first_out},
                                    {"FIFO", AstraPolicy::first_in_first_out},
                                    {"EXPLICIT", AstraPolicy::explicit_priority}});
  system.endpoint_nanoseconds = object.integer_or("endpoint-delay", 10, 0, 1'000'000'000);
  system.active_chunks = object.integer_or("active-chunks-per-dimension", 1, 1, 1'000'000);
  system.dataset_splits = object.integer("preferred-dataset-splits", 1, most_dataset_splits);
  system.optimization =
      object.one_of_or("collective-optimization", std::optional(system.optimization),
                       {{"baseline", AstraOptimization::baseline},
                        {"localBWAware", AstraOptimization::local_bandwidth_aware}});
  system.memory_gigabytes = rate(object, "local-mem-bw");
  system.peak_teraflops = rate(object, "peak-perf");
  system.roofline = flag(object, "roofline-enabled");
  system.replay_only = flag(object, "replay-only");
  system.shared_bus = flag(object, "model-shared-bus");
  system.per_node = object.text_or("per-node-custom-implementation", "");
  read_collectives(object, system);
  return system;
}

std::string_view word_of(AstraPolicy policy) {
  switch (policy) {
    case AstraPolicy::last_in_first_out:
      return "LIFO";
    case AstraPolicy::first_in_first_out:
      return "FIFO";
    case AstraPolicy::explicit_priority:
      return "EXPLICIT";
  }
  return {};
}

}  // namespace

std::string_view name_of(AstraAlgorithm algorithm) {
  switch (algorithm) {
    case AstraAlgorithm::ring:
      return "ring";
    case AstraAlgorithm::direct:
      return "direct";
    case AstraAlgorithm::halving_doubling:
      return "halvingDoubling";
    case AstraAlgorithm::double_binary_tree:
      return "doubleBinaryTree";
  }
  return {};
}

std::optional<std::size_t> astra_collective_of(CollectiveKind kind) {
  const auto* found = std::find(astra_collectives.begin(), astra_collectives.end(), kind);
  if (found == astra_collectives.end()) return std::nullopt;
  return static_cast<std::size_t>(found - astra_collectives.begin());
}

Result<AstraSystem> astra_system_of(const std::string& text, const std::string& where) {
  const auto json = parse_json(text, where);
  if (!json) return json.error();
  JsonObject object(*json, where);
  if (object.failed()) return *object.error();
  AstraSystem system = system_in(object);
  if (object.failed()) return *object.error();
  system.left_out = left_out_of(*json);
  return system;
}

Result<AstraSystem> read_astra_system(const std::filesystem::path& file) {
  const auto text = read_text_file(file, Bytes{1e6});
  if (!text) return text.error();
  return astra_system_of(*text, file.string());
}

std::string astra_system_text(const AstraSystem& system) {
  JsonValue json = JsonValue::object();
  json["scheduling-policy"] = word_of(system.policy);
  json["endpoint-delay"] = system.endpoint_nanoseconds;
  json["active-chunks-per-dimension"] = system.active_chunks;
  json["preferred-dataset-splits"] = system.dataset_splits;
  for (std::size_t at = 0; at < collective_keys.size(); ++at) {
    const AstraCollective& collective = system.collectives[at];
    JsonValue words = JsonValue::array();
    for (const AstraImplementation& implementation : collective.per_dimension)
      words.push_back(name_of(implementation));
    if (!collective.per_dimension.empty()) json[collective_keys[at]] = words;
    if (!collective.custom.empty())
      json[std::string(collective_keys[at]) + "-custom"] =
          std::vector<std::string>{collective.custom};
  }
  json["collective-optimization"] =
      system.optimization == AstraOptimization::baseline ? "baseline" : "localBWAware";
  json["local-mem-bw"] = system.memory_gigabytes;
  json["peak-perf"] = system.peak_teraflops;
  json["roofline-enabled"] = system.roofline ? 1 : 0;
  if (system.replay_only) json["replay-only"] = 1;
  if (system.shared_bus) json["model-shared-bus"] = 1;
  if (!system.per_node.empty()) json["per-node-custom-implementation"] = system.per_node;
  return json.dump(2) + "\n";
}

}  // namespace quintet
