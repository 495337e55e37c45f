#include "sim/validate/validation.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

namespace quintet {

namespace {

void predict_expressed(const Expression& expression, MachinePark& machines, RowVerdict& verdict) {
  verdict.stack = expression.stack;
  verdict.remarks = expression.remarks;
  const Result<const Topology*> topology = machines.with_gpus(expression.topology, expression.gpus);
  if (!topology) {
    verdict.reason = topology.error().text();
    return;
  }
  Result<StepPrediction> prediction = predict_row(expression, **topology);
  if (prediction)
    verdict.prediction = std::move(*prediction);
  else
    verdict.reason = prediction.error().text();
}

RowVerdict verdict_of(const PublishedRow& row, const Shelf& shelf, MachinePark& machines) {
  RowVerdict verdict;
  verdict.row = row;
  const Expressed expressed = express(row, shelf);
  std::visit(Match{[&](const Unexpressed& not_expressed) {
                     verdict.stack = not_expressed.stack;
                     verdict.reason = not_expressed.reason;
                   },
                   [&](const Expression& expression) {
                     predict_expressed(expression, machines, verdict);
                   }},
             expressed);
  return verdict;
}

std::string stem(const std::string& file) {
  return std::filesystem::path(file).stem().string();
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
  double tau = 0, regrets = 0;
  const auto alike = [](const PublishedRow& row) {
    return std::tuple(row.file, row.model, row.gpu, row.gpus);
  };
  for (const std::vector<Pair>& group : grouped(verdicts, alike)) {
    if (group.size() < 3) continue;
    if (const auto one = kendall_tau(group)) tau += *one, ++summary.tau_groups;
  }
  const auto same_work = [](const PublishedRow& row) {
    return std::tuple(row.file, row.model, row.gpu, row.gpus, row.seq, row.gbs);
  };
  for (const std::vector<Pair>& group : grouped(verdicts, same_work))
    if (group.size() >= 2) regrets += regret(group), ++summary.regret_groups;
  if (summary.tau_groups > 0) summary.tau = tau / summary.tau_groups;
  if (summary.regret_groups > 0) summary.regret = regrets / summary.regret_groups;
}

void add_verdict(const RowVerdict& verdict, MemoryConfusion& verdicts) {
  const bool fits = verdict.prediction->fits;
  switch (verdict.row.status) {
    case RowStatus::ok:
      ++(fits ? verdicts.ran_and_fits : verdicts.ran_but_does_not_fit);
      return;
    case RowStatus::out_of_memory:
      ++(fits ? verdicts.failed_but_fits : verdicts.failed_and_does_not_fit);
      return;
    case RowStatus::error:
      return;
  }
}

SourceSummary summary_of(const Verdicts& verdicts) {
  SourceSummary summary;
  summary.rows = static_cast<int>(verdicts.size());
  std::vector<Pair> times, memories;
  for (const RowVerdict* verdict : verdicts) {
    if (!verdict->prediction) continue;
    ++summary.expressed;
    add_verdict(*verdict, summary.verdicts);
    if (const auto pair = time_pair(*verdict)) times.push_back(*pair);
    if (const auto pair = memory_pair(*verdict)) memories.push_back(*pair);
  }
  summary.time = error_summary(times);
  summary.memory = error_summary(memories);
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

std::vector<RowVerdict> validate_rows(const std::vector<PublishedRow>& rows, const Shelf& shelf,
                                      MachinePark& machines, int threads,
                                      const std::function<void(double share)>& progress) {
  std::vector<RowVerdict> verdicts(rows.size());
  std::atomic<std::size_t> next{0};
  std::mutex reporting;
  std::size_t done = 0;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t index = next++; index < rows.size(); index = next++) {
      try {
        verdicts[index] = verdict_of(rows[index], shelf, machines);
      } catch (...) {
        const std::lock_guard lock(reporting);
        failure = std::current_exception();
        next = rows.size();
        return;
      }
      const std::lock_guard lock(reporting);
      if (progress) progress(static_cast<double>(++done) / static_cast<double>(rows.size()));
    }
  };
  std::vector<std::thread> workers;
  for (int i = 1; i < threads; ++i) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();
  if (failure) std::rethrow_exception(failure);
  return verdicts;
}

std::vector<SourceSummary> summaries(const std::vector<RowVerdict>& verdicts,
                                     const std::vector<SoftwareStack>& stacks) {
  std::vector<std::pair<std::pair<std::string, std::string>, Verdicts>> parts;
  Verdicts all;
  for (const RowVerdict& verdict : verdicts) {
    all.push_back(&verdict);
    const std::pair key{stem(verdict.row.file), verdict.stack};
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
    for (const SoftwareStack& stack : stacks)
      if (stack.name == key.second) made.back().free_parameters = stack.free_parameters;
  }
  made.push_back(summary_of(all));
  made.back().source = "all";
  return made;
}

}  // namespace quintet
