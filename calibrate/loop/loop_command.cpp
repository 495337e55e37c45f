#include "calibrate/loop/loop_command.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "calibrate/loop/loop_inputs.h"
#include "calibrate/loop/loop_page.h"
#include "calibrate/loop/loop_run.h"
#include "calibrate/machine/child_program.h"
#include "calibrate/machine/others_work.h"
#include "calibrate/machine/processor_choice.h"
#include "sim/asked/settings.h"
#include "sim/base/own_program.h"
#include "sim/base/quantity_text.h"
#include "sim/cost/file/cost_table_file.h"
#include "sim/usage/complain.h"

namespace quintet::calibrate {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> calibration(const LoopArguments& arguments, const Loop& loop) {
  int smallest = loop.models.front().model.hidden, largest = smallest, length = 0, tokens = 0;
  std::vector<std::string> words{own_program().string(),
                                 "--topology",
                                 arguments.topology,
                                 "-o",
                                 arguments.costs,
                                 "--kernels",
                                 arguments.kernels,
                                 "--time",
                                 fmt::format("{}", arguments.time),
                                 "--ranks",
                                 std::to_string(ranks_of(arguments, loop.topology)),
                                 "--device",
                                 arguments.device};
  for (const NamedModel& each : loop.models) {
    smallest = std::min(smallest, each.model.hidden);
    largest = std::max(largest, each.model.hidden);
    words.insert(words.end(), {"--model", each.file});
  }
  std::set<std::string> types;
  for (const LoopCaseInput& each : loop.cases) {
    const Parallelism& parallelism = each.plan.parallelism;
    types.emplace(name_of(parallelism.compute_type));
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
  for (const std::string& type : types) words.insert(words.end(), {"--types", type});
  if (!arguments.journal.empty()) words.insert(words.end(), {"--journal", arguments.journal});
  if (arguments.busy) words.emplace_back("--busy");
  if (processor_of(arguments.device) == Processor::cpu && !namespaces_allowed())
    words.emplace_back("--without-messages");
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
  const Result<Ended> ended = run_program(calibration(arguments, loop));
  if (!ended) return ended.error();
  if (ended->code != 0)
    return Error{"quintet calibrate", fmt::format("ended with {}", ended->code)};
  return std::nullopt;
}

std::string busy_remark(const std::vector<LoopRow>& rows) {
  const auto worst = std::max_element(
      rows.begin(), rows.end(),
      [](const LoopRow& left, const LoopRow& right) { return left.others < right.others; });
  if (worst->others <= disturbing_share) return "";
  return fmt::format(
      "THE MACHINE WAS BUSY: other programs took {:.0f} % of its cores while {} of {} ran; measure "
      "again when it is idle.",
      100 * worst->others, worst->plan, worst->model);
}

std::vector<std::string> remarks_of(const LoopArguments& arguments, const Loop& loop, bool shaped,
                                    const std::vector<LoopRow>& rows) {
  std::vector<std::string> remarks;
  if (const std::string busy = busy_remark(rows); !busy.empty()) remarks.push_back(busy);
  if (rows.size() < loop.cases.size())
    remarks.push_back(
        fmt::format("{} of {} plans were run in this time; with --resume the same "
                    "command goes on.",
                    rows.size(), loop.cases.size()));
  const bool on_cores = processor_of(arguments.device) == Processor::cpu;
  if (on_cores && !shaped && !arguments.without_shape)
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

LoopCase case_of(const LoopArguments& arguments, const LoopCaseInput& input, bool shaped) {
  const fs::path files = fs::path(arguments.folder) / (input.model->name + "-" + input.plan.name);
  return {input.model->name,
          input.plan.name,
          arguments.costs,
          {input.model->file, input.file, arguments.topology, arguments.data, arguments.kernels,
           arguments.steps, arguments.warm_up, shaped, files, processor_of(arguments.device)}};
}

using Clock = std::chrono::steady_clock;

// Rows of what was run, now or before.
Result<std::vector<LoopRow>> run_all(const LoopArguments& arguments, const Loop& loop,
                                     bool shaped) {
  const Clock::time_point begin = Clock::now();
  const auto in_time = [&] {
    const double passed = std::chrono::duration<double>(Clock::now() - begin).count();
    return !arguments.within || passed < *arguments.within;
  };
  std::vector<LoopRow> rows;
  for (std::size_t number = 0; number < loop.cases.size(); ++number) {
    const LoopCase what = case_of(arguments, loop.cases[number], shaped);
    std::optional<MeasuredSteps> measured;
    if (arguments.resume) measured = kept_steps(what.run);
    if (measured && measured->others > disturbing_share && in_time()) measured.reset();
    if (!measured && !in_time()) continue;
    if (!measured) {
      std::fprintf(stderr, "[%zu of %zu] %s, %s\n", number + 1, loop.cases.size(),
                   what.model_name.c_str(), what.plan_name.c_str());
      Result<MeasuredSteps> now = measure_steps(what.run);
      if (!now) return now.error();
      measured = std::move(*now);
    }
    Result<LoopRow> row = compared_row(what, *measured);
    if (!row) return row.error();
    rows.push_back(std::move(*row));
  }
  if (rows.empty()) return Error{"--within", "is over before the first plan was run"};
  return rows;
}

ExitCode loop_all(const LoopArguments& arguments) {
  if (const auto wrong = no_place_for(arguments.pictures)) return complain(*wrong);
  const Processor processor = processor_of(arguments.device);
  if (const auto error = missing_gpu(processor)) {
    complain(*error);
    return ExitCode::answer_is_no;
  }
  const Result<Loop> loop = read_loop(arguments);
  if (!loop) return complain(loop.error());
  if (const auto error = calibrate_if_missing(arguments, *loop)) {
    complain(*error);
    return ExitCode::answer_is_no;
  }
  const bool shaped =
      processor == Processor::cpu && !arguments.without_shape && namespaces_allowed();
  const Result<std::vector<LoopRow>> rows = run_all(arguments, *loop, shaped);
  if (!rows) {
    complain(rows.error());
    return ExitCode::answer_is_no;
  }
  const std::vector<std::string> remarks = remarks_of(arguments, *loop, shaped, *rows);
  std::fputs((arguments.json ? report_json(*rows, remarks) : report_text(*rows, remarks)).c_str(),
             stdout);
  if (arguments.pictures.wanted())
    if (const auto error = write_pictures(arguments.pictures, loop_page(*rows, remarks)))
      return complain(*error);
  return ExitCode::done;
}

constexpr const char* processors[] = {"cpu", "gpu"};
constexpr const char* kernels[] = {"reference", "fast", "onednn"};

Options options(LoopArguments& into) {
  using enum Need;
  return {
      {"--model", &into.models, "Hugging Face config.json, its folder, or a shipped model", "FILE",
       required},
      {"--topology", &into.topology, "The machine: hosts with one CPU rank each, or with GPUs",
       "FILE", required},
      {"--plans", &into.plans, "Plans to run, or auto: Quintet chooses up to 8 that differ in kind",
       "PLAN", has_default},
      set_option(into.set),
      {"--device", &into.device, "What computes, as that of quintet run: cpu or gpu", "",
       has_default, OneOf{processors}},
      {"--ranks", &into.ranks,
       "Ranks of the plans that auto chooses; default: 4, on GPUs as many as are here", "",
       optional, WholeRange{1, 1 << 20}},
      {"--sequences", &into.sequences, "Sequences in a step of the plans that auto chooses", "",
       has_default, WholeRange{1, 1 << 20}},
      {"--length", &into.length,
       "Tokens of a sequence in the plans that auto chooses; default: 128, on GPUs 1024", "",
       optional, WholeRange{1, 1 << 20}},
      {"--steps", &into.steps,
       "Steps of each run, of which the median counts; on GPUs as many more are recorded", "",
       has_default, WholeRange{1, 1 << 20}},
      {"--warm-up", &into.warm_up, "Steps before those, which do not count, on CPU cores", "",
       has_default, WholeRange{1, 1 << 20}},
      {"--costs", &into.costs,
       "Cost table of this machine and topology: used where it covers what is asked, else "
       "calibrated anew",
       "FILE", has_default},
      {"--keep-costs", &into.keep_costs, "Use the table as it is, whatever it covers"},
      {"--journal", &into.journal,
       "File that keeps what calibration measured, as that of quintet calibrate", "FILE"},
      {"--time", &into.time, "Seconds for calibrating operators", "", has_default,
       NumberRange{1.0, 1e6}},
      {"--out", &into.folder, "Folder to write plans, logs, timelines and comparisons into",
       "FOLDER", has_default},
      {"--data", &into.data, "Text to train on, as that of quintet run", "FILE", has_default},
      {"--kernels", &into.kernels, "Kernels on CPU cores, as those of quintet run", "", has_default,
       OneOf{kernels}},
      {"--resume", &into.resume,
       "Keep the runs of the same plans that the folder of --out holds already, except disturbed "
       "ones"},
      {"--within", &into.within, "Begin no further run after so many seconds", "SECONDS", optional,
       NumberRange{0.0, 1e6}},
      {"--without-shape", &into.without_shape,
       "Run without network namespaces and without links slowed to the rates of --topology"},
      {"--busy", &into.busy, "Measure although other programs use the machine"},
      {"--html", &into.pictures.html, "Write a page of drawings, too", "FILE"},
      {"--svg", &into.pictures.svg, "Write each drawing into this folder", "FOLDER"},
      {"--json", &into.json, "Print JSON (schema_version 1)"},
  };
}

}  // namespace

std::unique_ptr<Verb> loop_verb() {
  return make_verb<LoopArguments>(
      {"loop", "Calibrate, predict plans, run them, and say how far to trust predictions",
       "Examples:\n"
       "  quintet loop --model tiny-gpt --topology box-4-1gbit --costs here.json\n"
       "  quintet loop --device gpu --model gpt2 --topology h200-1 --costs here.json\n"
       "Exit: 0 done, 1 something could not be measured here or now, 2 wrong usage or input."},
      {options, loop_all});
}

}  // namespace quintet::calibrate
