#include "tests/sim/adapt/adaptra_rows.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "tests/support/csv.h"

namespace quintet::test {

namespace {

double number(const Row& row, const std::string& name) {
  return std::stod(row.at(name));
}
Seconds milliseconds(const Row& row, const std::string& name) {
  return Seconds{1e-3 * number(row, name)};
}

std::optional<Method> method_of(const std::string& word) {
  if (word == "1F1B") return Method::one_f_one_b;
  if (word == "ZB") return Method::zero_bubble;
  if (word == "ZB-CPU") return Method::delegated;
  if (word == "ZB-CPU-ReSchedule") return Method::adapted;
  return std::nullopt;
}

// "0_1,2_3" of four stages: links 0 and 2.
std::vector<Seconds> delays_of(const std::string& links, int stages, Seconds delay) {
  std::vector<Seconds> delays(static_cast<std::size_t>(stages - 1));
  std::istringstream all(links);
  for (std::string link; std::getline(all, link, ',');)
    delays[static_cast<std::size_t>(std::stoi(link))] = delay;
  return delays;
}

std::string key_of(const Row& row) {
  return row.at("experiment") + " " + row.at("model") + " " + row.at("slow_pp_links") + " " +
         row.at("delay_ms");
}

std::map<std::string, std::vector<Row>> profiles() {
  std::map<std::string, std::vector<Row>> by_run;
  for (const Row& row : csv_rows(adaptra_file("adaptra_profiles.csv")))
    if (row.at("testbed") == "H800") by_run[key_of(row)].push_back(row);
  return by_run;
}

PassKind kind_of(char letter, Method method) {
  if (letter == 'F') return PassKind::forward;
  if (letter == 'W') return PassKind::weight_gradient;
  return method == Method::one_f_one_b ? PassKind::backward : PassKind::input_gradient;
}

// "8W": the last eight in one.
int passes_in(const std::string& op) {
  return op.size() == 1 ? 1 : std::stoi(op.substr(0, op.size() - 1));
}

class Iterations {
 public:
  void add(const Row& row) {
    const auto method = method_of(row.at("method"));
    if (!method) return;
    const std::string key = row.at("config") + " " + row.at("phase");
    const auto [place, fresh] = place_.try_emplace(key, made_.size());
    if (fresh) begin(row, *method);
    const auto stage = static_cast<std::size_t>(number(row, "stage"));
    RecordedIteration& iteration = made_[place->second];
    iteration.stages.resize(std::max(iteration.stages.size(), stage + 1));
    add_pass(row, *method, iteration.stages[stage]);
  }

  std::vector<RecordedIteration> iterations() && {
    for (RecordedIteration& each : made_) from_its_beginning(each);
    return std::move(made_);
  }

 private:
  void begin(const Row& row, Method method) {
    const bool slow = row.at("phase") == "with_delay";
    made_.push_back(
        {row.at("config"),
         row.at("phase"),
         method,
         delays_of(row.at("slow_pp_links"), 4, slow ? milliseconds(row, "delay_ms") : Seconds{}),
         {}});
  }

  static void add_pass(const Row& row, Method method, std::vector<RecordedPass>& passes) {
    const std::string& op = row.at("op");
    const int count = passes_in(op);
    if (count == 0) return;
    const PassKind kind = kind_of(op.back(), method);
    int first = 0;
    for (const RecordedPass& pass : passes)
      if (pass.kind == kind) first = pass.last + 1;
    passes.push_back({kind, first, first + count - 1, milliseconds(row, "start_ms"),
                      milliseconds(row, "end_ms"), milliseconds(row, "cuda_elapsed_ms")});
  }

  static void from_its_beginning(RecordedIteration& iteration) {
    Seconds begin = iteration.stages.front().front().start;
    for (const auto& stage : iteration.stages)
      for (const RecordedPass& pass : stage) begin = std::min(begin, pass.start);
    for (auto& stage : iteration.stages)
      for (RecordedPass& pass : stage) {
        pass.start -= begin;
        pass.end -= begin;
      }
  }

  std::vector<RecordedIteration> made_;
  std::map<std::string, std::size_t> place_;  // the file has an iteration's stages apart
};

}  // namespace

std::filesystem::path adaptra_file(const std::string& name) {
  return std::filesystem::path(QUINTET_SOURCE_DIR) / "../shared/validation" / name;
}

std::string name_of(Method method) {
  switch (method) {
    case Method::one_f_one_b:
      return "1F1B";
    case Method::zero_bubble:
      return "ZB";
    case Method::delegated:
      return "delegated";
    case Method::adapted:
      return "adapted";
  }
  return {};
}

std::vector<AdaptraRun> adaptra_runs() {
  const std::map<std::string, std::vector<Row>> profiled = profiles();
  std::vector<AdaptraRun> runs;
  for (const Row& row : csv_rows(adaptra_file("adaptra_results.csv"))) {
    const std::string& experiment = row.at("experiment");
    const bool wanted =
        experiment == "single" || experiment == "multiple" || experiment == "increasing-delay";
    const std::string& model = row.at("model");
    if (row.at("testbed") != "H800" || !wanted || (model != "7B" && model != "14B")) continue;
    AdaptraRun run{experiment,
                   model,
                   row.at("slow_pp_links"),
                   *method_of(row.at("method")),
                   {},
                   1,
                   milliseconds(row, "iter_ms_mean_iters3_7"),
                   milliseconds(row, "iter_ms_mean_last5"),
                   {},
                   {}};
    run.delays = delays_of(run.links, std::stoi(row.at("pp")), milliseconds(row, "delay_ms"));
    if (const std::string& count = row.at("cpu_delegates_per_direction"); !count.empty())
      run.delegates = std::stoi(count);
    if (run.method == Method::adapted)
      for (const Row& stage : profiled.at(key_of(row))) {
        run.profile.push_back({milliseconds(stage, "F_ms"),
                               milliseconds(stage, "B_ms"),
                               milliseconds(stage, "W_ms"),
                               {}});
        run.warm_ups.push_back(std::stoi(stage.at("warmup_forwards_x")));
      }
    runs.push_back(std::move(run));
  }
  return runs;
}

Seconds delegated_without_delay(const std::string& model) {
  for (const Row& row : csv_rows(adaptra_file("adaptra_results.csv")))
    if (row.at("testbed") == "H800" && row.at("method") == "ALL-CPU" && row.at("model") == model)
      return milliseconds(row, "iter_ms_mean_last5");
  return {};
}

std::vector<RecordedIteration> recorded_iterations() {
  Iterations iterations;
  for (const Row& row : csv_rows(adaptra_file("adaptra_a10_op_timeline.csv"))) iterations.add(row);
  return std::move(iterations).iterations();
}

}  // namespace quintet::test
