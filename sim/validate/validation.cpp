#include "sim/validate/validation.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "sim/base/parallel.h"

namespace quintet {

namespace {

constexpr const char* all_sources = "all";

// What a row's prediction needs, and who makes it.
template <class Predict>
RowVerdict verdict_by(const PublishedRow& row, const Shelf& shelf, MachinePark& machines,
                      Predict predict) {
  RowVerdict verdict;
  verdict.row = row;
  const Expressed expressed = express(row, shelf);
  if (const auto* const not_expressed = std::get_if<Unexpressed>(&expressed)) {
    verdict.stack = not_expressed->stack;
    verdict.reason = not_expressed->reason;
    return verdict;
  }
  const Expression& expression = std::get<Expression>(expressed);
  verdict.stack = expression.stack;
  verdict.remarks = expression.remarks;
  verdict.topology = expression.topology;
  verdict.gpu = expression.costs.gpu;
  const Result<const Topology*> topology =
      machines.with_gpus(expression.topology, expression.gpus, expression.plan.network.routing);
  if (!topology) {
    verdict.reason = topology.error().text();
    return verdict;
  }
  Result<StepPrediction> prediction = predict(expression, **topology);
  if (prediction)
    verdict.prediction = std::move(*prediction);
  else
    verdict.reason = prediction.error().text();
  return verdict;
}

using Verdicts = std::vector<const RowVerdict*>;

// Pairs of all rows that agree in what `key` says.
template <class Key>
std::vector<std::vector<Pair>> grouped(const Verdicts& verdicts, Key key) {
  std::map<decltype(key(verdicts.front()->row)), std::vector<Pair>> groups;
  for (const RowVerdict* verdict : verdicts)
    if (const auto pair = time_pair(*verdict)) groups[key(verdict->row)].push_back(*pair);
  std::vector<std::vector<Pair>> all;
  for (auto& [name, pairs] : groups) all.push_back(std::move(pairs));
  return all;
}

void add_ranking(const Verdicts& verdicts, SourceSummary& summary) {
  double tau = 0;
  const auto alike = [](const PublishedRow& row) {
    return std::tuple(row.file, row.model, row.gpu, row.gpus);
  };
  for (const std::vector<Pair>& group : grouped(verdicts, alike)) {
    if (group.size() < 3) continue;
    if (const auto one = kendall_tau(group)) tau += *one, ++summary.tau_groups;
  }
  if (summary.tau_groups > 0) summary.tau = tau / summary.tau_groups;
  summary.regrets = regrets_of(sheets_of(verdicts));
}

void add_verdict(const RowVerdict& verdict, MemoryConfusion& verdicts) {
  const std::optional<bool> right = verdict_right(verdict);
  if (!right) return;
  if (verdict.prediction->fits)
    ++(*right ? verdicts.ran_and_fits : verdicts.failed_but_fits);
  else
    ++(*right ? verdicts.failed_and_does_not_fit : verdicts.ran_but_does_not_fit);
}

SourceSummary summary_of(const Verdicts& verdicts) {
  SourceSummary summary;
  summary.rows = static_cast<int>(verdicts.size());
  std::vector<Pair> times, memories;
  std::set<std::string> models;
  for (const RowVerdict* verdict : verdicts) {
    if (!verdict->prediction) continue;
    ++summary.expressed;
    add_verdict(*verdict, summary.verdicts);
    if (const auto pair = time_pair(*verdict)) {
      times.push_back(*pair);
      models.insert(verdict->row.model);
    }
    if (const auto pair = memory_pair(*verdict)) memories.push_back(*pair);
  }
  summary.time = error_summary(times);
  summary.memory = error_summary(memories);
  summary.models = static_cast<int>(models.size());
  add_ranking(verdicts, summary);
  return summary;
}

}  // namespace

std::optional<Pair> time_pair(const RowVerdict& verdict) {
  const std::optional<double> measured = measured_step(verdict.row);
  if (!measured || !verdict.prediction) return std::nullopt;
  return Pair{verdict.prediction->step.value, *measured};
}

std::optional<Pair> memory_pair(const RowVerdict& verdict) {
  const std::optional<double> measured = verdict.row.peak_mem_gib;
  if (!measured || *measured <= 0 || !verdict.prediction) return std::nullopt;
  return Pair{total(verdict.prediction->fullest).value / 1'073'741'824.0, *measured};
}

std::optional<bool> verdict_right(const RowVerdict& verdict) {
  if (!verdict.prediction || verdict.row.status == RowStatus::error) return std::nullopt;
  return verdict.prediction->fits == (verdict.row.status == RowStatus::ok);
}

RowVerdict verdict_of(const PublishedRow& row, const Shelf& shelf, MachinePark& machines) {
  return verdict_by(row, shelf, machines, predict_row);
}

RowVerdict memory_verdict_of(const PublishedRow& row, const Shelf& shelf, MachinePark& machines) {
  return verdict_by(row, shelf, machines, predict_row_memory);
}

std::vector<RowVerdict> validate_rows(const std::vector<PublishedRow>& rows, const Shelf& shelf,
                                      MachinePark& machines, int threads,
                                      const std::function<void(double share)>& progress) {
  std::vector<RowVerdict> verdicts(rows.size());
  for_each_index(
      rows.size(), threads,
      [&](std::size_t index) { verdicts[index] = verdict_of(rows[index], shelf, machines); },
      progress);
  return verdicts;
}

std::vector<SourceSummary> summaries(const std::vector<RowVerdict>& verdicts) {
  std::vector<std::pair<std::pair<std::string, std::string>, Verdicts>> parts;
  Verdicts all;
  for (const RowVerdict& verdict : verdicts) {
    all.push_back(&verdict);
    const std::pair key{source_name(verdict.row.file), verdict.stack};
    auto found = std::find_if(parts.begin(), parts.end(),
                              [&](const auto& part) { return part.first == key; });
    if (found == parts.end()) found = parts.insert(parts.end(), {key, {}});
    found->second.push_back(&verdict);
  }
  std::vector<SourceSummary> made;
  for (const auto& [key, members] : parts) {
    made.push_back(summary_of(members));
    made.back().source = key.first;
    made.back().stack = key.second;
  }
  made.push_back(summary_of(all));
  made.back().source = all_sources;
  return made;
}

std::string source_name(const std::string& file) {
  return std::filesystem::path(file).stem().string();
}

std::vector<const RowVerdict*> verdicts_of(const std::vector<RowVerdict>& verdicts,
                                           const SourceSummary& line) {
  std::vector<const RowVerdict*> members;
  for (const RowVerdict& verdict : verdicts)
    if (line.source == all_sources ||
        (source_name(verdict.row.file) == line.source && verdict.stack == line.stack))
      members.push_back(&verdict);
  return members;
}

}  // namespace quintet
