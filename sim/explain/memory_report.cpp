#include "sim/explain/memory_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "sim/base/text_table.h"
#include "sim/json/json_value.h"

namespace quintet {
namespace {

constexpr std::array<std::pair<std::string_view, Bytes RankMemory::*>, 7> kinds{{
    {"weights", &RankMemory::weights},
    {"gradients", &RankMemory::gradients},
    {"optimizer", &RankMemory::optimizer},
    {"activations", &RankMemory::activations},
    {"logits", &RankMemory::logits},
    {"communication", &RankMemory::communication},
    {"framework", &RankMemory::framework},
}};

std::string gibibytes(Bytes size) {
  constexpr double bytes_per_gibibyte = 1073741824.0;
  return fixed(size.value / bytes_per_gibibyte, 2);
}

// Neighbours that differ in nothing but their rank.
struct Run {
  RankMemory first;
  Rank last;
};

std::vector<Run> runs(const std::vector<RankMemory>& ranks) {
  std::vector<Run> found;
  for (const RankMemory& memory : ranks) {
    RankMemory expected = memory;
    if (!found.empty()) expected.rank = found.back().first.rank;
    const bool continues = !found.empty() && expected == found.back().first &&
                           memory.rank.value == found.back().last.value + 1;
    if (continues)
      found.back().last = memory.rank;
    else
      found.push_back({memory, memory.rank});
  }
  return found;
}

bool has_host(const MemoryReport& report) {
  return std::any_of(report.ranks.begin(), report.ranks.end(),
                     [](const RankMemory& memory) { return memory.host > Bytes{}; });
}

TextRow line(const Run& run) {
  std::string ranks = fmt::to_string(run.first.rank.value);
  if (run.last != run.first.rank) ranks += fmt::format("-{}", run.last.value);
  TextRow row{ranks, fmt::to_string(run.first.stage)};
  for (const auto& kind : kinds) row.push_back(gibibytes(run.first.*kind.second));
  row.push_back(gibibytes(total(run.first)));
  return row;
}

JsonValue json_of(const RankMemory& memory) {
  JsonValue json{{"rank", memory.rank.value}, {"stage", memory.stage}};
  for (const auto& [name, kind] : kinds) json[std::string(name)] = (memory.*kind).value;
  json["total"] = total(memory).value;
  if (memory.host > Bytes{}) json["host"] = memory.host.value;
  return json;
}

}  // namespace

Bytes total(const RankMemory& memory) {
  Bytes sum;
  for (const auto& kind : kinds) sum += memory.*kind.second;
  return sum;
}

std::optional<RankMemory> fullest(const MemoryReport& report) {
  const auto found = std::max_element(
      report.ranks.begin(), report.ranks.end(),
      [](const RankMemory& left, const RankMemory& right) { return total(left) < total(right); });
  return found == report.ranks.end() ? std::nullopt : std::optional(*found);
}

std::array<MemoryPart, 7> parts_of(const RankMemory& memory) {
  std::array<MemoryPart, kinds.size()> parts;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    parts[i] = {kinds[i].first, memory.*kinds[i].second};
  return parts;
}

std::vector<RankMemory> fullest_of_stages(const MemoryReport& report) {
  std::map<int, RankMemory> fullest;
  for (const RankMemory& memory : report.ranks) {
    const auto [found, is_first] = fullest.try_emplace(memory.stage, memory);
    if (!is_first && total(memory) > total(found->second)) found->second = memory;
  }
  std::vector<RankMemory> stages;
  for (const auto& [stage, memory] : fullest) stages.push_back(memory);
  return stages;
}

MemoryVerdict verdict(const MemoryReport& report) {
  const std::optional<RankMemory> most = fullest(report);
  return most && total(*most) > report.capacity ? MemoryVerdict::does_not_fit : MemoryVerdict::fits;
}

std::string verdict_text(const MemoryReport& report) {
  const std::optional<RankMemory> most = fullest(report);
  if (!most) return "fits: no rank needs memory";
  const Bytes needed = total(*most);
  const std::string where = fmt::format("rank {} (stage {})", most->rank.value, most->stage);
  const std::string of_capacity =
      fmt::format("{} of {} GiB", gibibytes(needed), gibibytes(report.capacity));
  switch (verdict(report)) {
    case MemoryVerdict::fits:
      return fmt::format("fits: {} ({}) on {}", of_capacity, percent(needed / report.capacity),
                         where);
    case MemoryVerdict::does_not_fit:
      return fmt::format("does not fit: {} on {}, {} GiB too much", of_capacity, where,
                         gibibytes(needed - report.capacity));
  }
  return {};
}

std::string memory_table(const MemoryReport& report) {
  return memory_rows(report) + verdict_text(report) + "\n";
}

std::string memory_rows(const MemoryReport& report) {
  TextRow header{"rank", "stage"};
  for (const auto& kind : kinds) header.emplace_back(kind.first);
  header.push_back("total");
  if (has_host(report)) header.push_back("in host");
  std::vector<TextRow> table{header};
  for (const Run& run : runs(report.ranks)) {
    table.push_back(line(run));
    if (has_host(report)) table.back().push_back(gibibytes(run.first.host));
  }
  return aligned(table);
}

std::string memory_json(const MemoryReport& report) {
  JsonValue json{{"schema_version", 1},
                 {"unit", "B"},
                 {"capacity", report.capacity.value},
                 {"verdict", verdict(report) == MemoryVerdict::fits ? "fits" : "does not fit"}};
  json["ranks"] = JsonValue::array();
  for (const RankMemory& memory : report.ranks) json["ranks"].push_back(json_of(memory));
  return json.dump(2) + "\n";
}

}  // namespace quintet
