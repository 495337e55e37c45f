#include "traces/astra_sim/other_networks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "sim/base/shown_text.h"
#include "sim/json/json_fields.h"

namespace quintet {
namespace {

constexpr int most_ranks = 1 << 30;

std::optional<int> whole_number(const std::string& text) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || value < 0 || value > most_ranks)
    return std::nullopt;
  return value;
}

struct Field {
  std::string_view word;
  void (*set)(HtsimTopology&, int);
};
struct TierField {
  std::string_view word;
  void (*set)(HtsimTier&, int);
};
constexpr std::array fields{
    Field{"Nodes", [](HtsimTopology& to, int value) { to.nodes = value; }},
    Field{"Tiers",
          [](HtsimTopology& to, int value) { to.tiers.resize(static_cast<std::size_t>(value)); }},
    Field{"Podsize", [](HtsimTopology& to, int value) { to.pod_size = value; }},
};
constexpr std::array tier_fields{
    TierField{"Downlink_speed_Gbps", [](HtsimTier& to, int value) { to.down = {value * 1.25e8}; }},
    TierField{"Downlink_Latency_ns", [](HtsimTier& to, int value) { to.latency = {value / 1e9}; }},
    TierField{"Radix_Down", [](HtsimTier& to, int value) { to.radix_down = value; }},
    TierField{"Radix_Up", [](HtsimTier& to, int value) { to.radix_up = value; }},
    TierField{"Bundle", [](HtsimTier& to, int value) { to.bundle = value; }},
    TierField{"Oversubscribed", [](HtsimTier& to, int value) { to.oversubscribed = value; }},
};

template <class Fields>
auto find_word(const Fields& all, std::string_view word) {
  return std::find_if(all.begin(), all.end(),
                      [&](const auto& field) { return field.word == word; });
}

std::string known_words() {
  std::string words = "Tier";
  for (const Field& field : fields) words += ", " + std::string(field.word);
  for (const TierField& field : tier_fields) words += ", " + std::string(field.word);
  return words;
}

// One line, "Word number". What is wrong with it, or nothing.
std::string take(const std::string& word, int value, HtsimTopology& topology, HtsimTier*& tier) {
  if (word == "Tier") {
    if (static_cast<std::size_t>(value) >= topology.tiers.size())
      return fmt::format("there are {} tiers, counted from 0", topology.tiers.size());
    tier = &topology.tiers[static_cast<std::size_t>(value)];
  } else if (const auto* field = find_word(fields, word); field != fields.end()) {
    if (word == "Tiers" && (value < 1 || value > 3 || !topology.tiers.empty()))
      return "Tiers stands once, with 1 to 3";
    field->set(topology, value);
  } else if (const auto* tier_field = find_word(tier_fields, word);
             tier_field == tier_fields.end()) {
    return "the word is not known; known are " + known_words();
  } else if (tier == nullptr) {
    return "belongs under a \"Tier\" line";
  } else {
    tier_field->set(*tier, value);
  }
  return {};
}

}  // namespace

Result<std::vector<int>> ns3_dimensions_of(const std::string& text, const std::string& where) {
  const auto json = parse_json(text, where);
  if (!json) return json.error();
  const std::string place = where + ": logical-dims";
  if (!json->is_object() || !json->contains("logical-dims") || !(*json)["logical-dims"].is_array())
    return Error{place, "expected an array of numbers in quotes, as [\"8\", \"2\"]"};
  std::vector<int> dimensions;
  for (const nlohmann::json& item : (*json)["logical-dims"]) {
    const auto ranks =
        item.is_string() ? whole_number(item.get_ref<const std::string&>()) : std::nullopt;
    if (!ranks || *ranks < 1)
      return Error{place, "found " + described(item) + "; expected numbers in quotes, as \"8\""};
    dimensions.push_back(*ranks);
  }
  return dimensions;
}

Result<HtsimTopology> htsim_topology_of(const std::string& text, const std::string& where) {
  HtsimTopology topology;
  HtsimTier* tier = nullptr;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word, value, more;
    if (!(words >> word)) continue;
    const std::string place = fmt::format("{}: line {}", where, number);
    const auto read = words >> value ? whole_number(value) : std::nullopt;
    if (!read || words >> more)
      return Error{place, "found " + in_quotes(line) + "; expected a word and a whole number"};
    const std::string wrong = take(word, *read, topology, tier);
    if (!wrong.empty()) return Error{place, "found " + in_quotes(line) + ": " + wrong};
  }
  if (topology.nodes < 1 || topology.tiers.empty())
    return Error{where, "has no \"Nodes\" and \"Tiers\" lines; an htsim topology begins with them"};
  return topology;
}

std::optional<Error> other_network(const std::string& text, const std::string& where) {
  if (const std::size_t first = text.find_first_not_of(" \t\r\n");
      first != std::string::npos && text[first] == '{') {
    const auto dimensions = ns3_dimensions_of(text, where);
    if (!dimensions) return dimensions.error();
    return Error{where, fmt::format("is the logical shape {} for ns-3, whose packets ASTRA-sim's "
                                    "analytical rules do not know; give a network .yml",
                                    fmt::join(*dimensions, " x "))};
  }
  if (text.find("\nTiers ") == std::string::npos && !text.starts_with("Nodes "))
    return std::nullopt;
  const auto topology = htsim_topology_of(text, where);
  if (!topology) return topology.error();
  return Error{where, fmt::format("is a fat tree of {} hosts and {} tiers for htsim, whose packets "
                                  "ASTRA-sim's analytical rules do not know; give a network .yml",
                                  topology->nodes, topology->tiers.size())};
}

}  // namespace quintet
