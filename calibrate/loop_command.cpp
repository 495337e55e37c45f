#include "calibrate/loop_command.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "calibrate/child_program.h"
#include "calibrate/loop_inputs.h"
#include "calibrate/loop_run.h"
#include "calibrate/machine_time.h"
#include "sim/cost/cost_table_file.h"
#include "sim/usage/complain.h"

namespace quintet::calibrate {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> calibration(const LoopArguments& arguments, const Loop& loop) {
  int smallest = loop.models.front().model.hidden, largest = smallest, length = 0, tokens = 0;
  std::vector<std::string> words{"/proc/self/exe",
                                 "--topology",
                                 arguments.topology,
                                 "-o",
                                 arguments.costs,
                                 "--kernels",
                                 arguments.kernels,
                                 "--time",
                                 fmt::format("{}", arguments.time),
                                 "--ranks",
                                 std::to_string(arguments.ranks)};
  for (const NamedModel& each : loop.models) {
    smallest = std::min(smallest, each.model.hidden);
    largest = std::max(largest, each.model.hidden);
    words.insert(words.end(), {"--model", each.file});
  }
  for (const LoopCaseInput& each : loop.cases) {
    const Parallelism& parallelism = each.plan.parallelism;
    length = std::max(length, parallelism.sequence_length);
    tokens = std::max(tokens, parallelism.sequence_length * parallelism.micro_batch);
  }
  const auto add = [&](const char* name, int value) {
    words.insert(words.end(), {name, std::to_string(value)});
  };
  add("--smallest", smallest);
  add("--largest", largest);
  add("--length", length);
  add("--tokens", tokens);
  if (!arguments.journal.empty()) words.insert(words.end(), {"--journal", arguments.journal});
  if (arguments.busy) words.emplace_back("--busy");
  return words;
}

std::optional<Error> calibrate_if_missing(const LoopArguments& arguments, const Loop& loop) {
  if (arguments.keep_costs) return std::nullopt;
  if (fs::exists(arguments.costs)) {
    const Result<CostTable> table = read_cost_table(arguments.costs);
    if (!table) return table.error();
    if (covers(*table, loop)) return std::nullopt;
    std::fprintf(stderr, "%s does not cover these models and plans: calibrating.\n",
                 arguments.costs.c_str());
  }
  std::vector<std::string> words = calibration(arguments, loop);
  words.front() = fs::read_symlink(words.front()).string();
  const Result<Ended> ended = run_program(words);
  if (!ended) return ended.error();
  if (ended->code != 0)
    return Error{"quintet calibrate", "ended with " + std::to_string(ended->code)};
  return std::nullopt;
}

// Of the cores' time, what neither this program's children nor idling took. The network's work for
// the ranks is among it: some percent.
class OthersWork {
 public:
  OthersWork() : begin_(now()) {}
  double share() const {
    const Sample end = now();
    const double cores = static_cast<double>(std::thread::hardware_concurrency());
    const double others = (end.machine - begin_.machine) - (end.children - begin_.children);
    return std::max(0.0, others / (cores * (end.clock - begin_.clock)));
  }

 private:
  struct Sample {
    double clock = 0, machine = 0, children = 0;
  };
  static Sample now() {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    const Result<Seconds> machine = machine_work();
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return {std::chrono::duration<double>(since).count(), machine ? machine->value : 0,
            seconds(used.ru_utime) + seconds(used.ru_stime)};
  }
  Sample begin_;
};

std::vector<std::string> remarks_of(const LoopArguments& arguments, const Loop& loop, bool shaped,
                                    double others) {
  std::vector<std::string> remarks;
  constexpr double disturbing = 0.25;
  if (others > disturbing)
    remarks.push_back(fmt::format(
        "THE MACHINE WAS BUSY: other programs took {:.0f} % of its cores meanwhile; measure again "
        "when it is idle.",
        100 * others));
  if (!shaped && !arguments.without_shape)
    remarks.emplace_back(
        "No network namespaces here: the links were not those of the topology, so communication "
        "differs.");
  const Result<CostTable> table = read_cost_table(arguments.costs);
  if (!table) return remarks;
  const std::vector<std::string> far = outside(*table, loop);
  for (std::size_t number = 0; number < std::min<std::size_t>(far.size(), 5); ++number)
    remarks.push_back("Outside what was calibrated: " + far[number] + ".");
  if (far.size() > 5) remarks.push_back(fmt::format("... and {} more outside.", far.size() - 5));
  return remarks;
}

std::optional<Error> run_all(const LoopArguments& arguments, const Loop& loop, bool shaped,
                             std::vector<LoopRow>& rows) {
  const LoopPlace place{arguments.topology, arguments.costs,   arguments.data, arguments.kernels,
                        arguments.steps,    arguments.warm_up, shaped,         arguments.folder};
  for (const LoopCaseInput& each : loop.cases) {
    std::fprintf(stderr, "[%zu of %zu] %s, %s\n", rows.size() + 1, loop.cases.size(),
                 each.model->name.c_str(), each.plan.name.c_str());
    Result<LoopRow> row =
        run_case({each.model->file, each.model->name, each.file, each.plan.name}, place);
    if (!row) return row.error();
    rows.push_back(std::move(*row));
  }
  return std::nullopt;
}

ExitCode loop_all(const LoopArguments& arguments) {
  const Result<Loop> loop = read_loop(arguments);
  if (!loop) return complain(loop.error());
  if (const auto error = calibrate_if_missing(arguments, *loop)) {
    complain(*error);
    return ExitCode::answer_is_no;
  }
  const bool shaped = !arguments.without_shape && namespaces_allowed();
  const OthersWork others;
  std::vector<LoopRow> rows;
  if (const auto error = run_all(arguments, *loop, shaped, rows)) {
    complain(*error);
    return ExitCode::answer_is_no;
  }
  const std::vector<std::string> remarks = remarks_of(arguments, *loop, shaped, others.share());
  std::fputs((arguments.json ? report_json(rows, remarks) : report_text(rows, remarks)).c_str(),
             stdout);
  return ExitCode::done;
}

void add_options(CLI::App& app, LoopArguments& into) {
  app.add_option("--model", into.models, "Hugging Face config.json, its folder, or a shipped model")
      ->required()
      ->type_name("FILE");
  app.add_option("--topology", into.topology, "The machine: hosts with one CPU rank each")
      ->required()
      ->type_name("FILE");
  app.add_option("--plans", into.plans, "Plans, or auto: up to 8 that differ in kind")
      ->capture_default_str()
      ->type_name("PLAN");
  const auto number = [&](const char* name, int& value, const char* what) {
    app.add_option(name, value, what)->check(CLI::Range(1, 1 << 20))->capture_default_str();
  };
  number("--ranks", into.ranks, "Of automatic plans");
  number("--sequences", into.sequences, "Of a step of automatic plans");
  number("--length", into.length, "Of a sequence of automatic plans");
  number("--steps", into.steps, "Of each run; the median counts");
  number("--warm-up", into.warm_up, "Steps before them that do not");
  app.add_option(
         "--costs", into.costs,
         "Cost table of this machine and topology: used where it covers what is asked, else "
         "calibrated anew")
      ->capture_default_str()
      ->type_name("FILE");
  app.add_flag("--keep-costs", into.keep_costs, "Use the table as it is, whatever it covers");
  app.add_option("--journal", into.journal, "As that of quintet calibrate")->type_name("FILE");
  app.add_option("--time", into.time, "Seconds for calibrating operators")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str();
  app.add_option("--out", into.folder, "Folder for plans, logs, timelines, comparisons")
      ->capture_default_str()
      ->type_name("FOLDER");
  app.add_option("--data", into.data, "As that of quintet run")
      ->capture_default_str()
      ->type_name("FILE");
  app.add_option("--kernels", into.kernels, "As those of quintet run")
      ->check(CLI::IsMember({"reference", "fast", "onednn"}))
      ->capture_default_str();
  app.add_flag("--without-shape", into.without_shape, "Run without namespaces and shaped links");
  app.add_flag("--busy", into.busy, "Measure although others use the machine");
  app.add_flag("--json", into.json, "Print JSON (schema_version 1)");
}

}  // namespace

std::unique_ptr<Verb> add_loop(CLI::App& program) {
  return add_verb<LoopArguments>(
      program,
      {"loop", "Calibrate, predict plans, run them, and say how far to trust predictions",
       "Example:\n"
       "  quintet loop --model tiny-gpt --topology box-4-1gbit --costs here.json\n"
       "Exit: 0 done, 1 something could not be measured here or now, 2 wrong usage or input."},
      {add_options, loop_all});
}

}  // namespace quintet::calibrate
