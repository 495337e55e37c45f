#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "sim/advice/advice_page.h"
#include "sim/command/commands.h"
#include "sim/command/output_files.h"
#include "sim/command/search/search_parts.h"
#include "sim/command/search/search_report.h"
#include "sim/command/search/search_wish.h"
#include "sim/command/search/search_work.h"
#include "sim/plan/plan_file.h"
#include "sim/search/analytic_evaluator.h"
#include "sim/search/question_digest.h"
#include "sim/usage/complain.h"

namespace quintet {
namespace {

namespace fs = std::filesystem;

ExitCode refuse(const SearchArguments& arguments, const Error& error) {
  if (arguments.json) std::fputs(error_json(error).c_str(), stdout);
  return complain(error);
}

Result<StartedShare> share_of_this_process() {
  return started_share([](const std::string& name) -> std::optional<std::string> {
    const char* const value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  });
}

// Steps that train unequally much cannot be compared by their times.
std::optional<Error> unlike_steps(const Space& space, const Wanted& wanted) {
  if (wanted.objective != Objective::step) return std::nullopt;
  bool batch_given = space.base.global_batch > 0;
  for (const Dimension& dimension : space.dimensions) {
    const bool batch = dimension.field->path == "parallelism.global_batch";
    batch_given = batch_given || batch;
    if ((batch || dimension.field->path == "parallelism.sequence_length") &&
        dimension.choices.size() > 1)
      return Error{"--objective step",
                   fmt::format("says nothing where {} varies: steps train unequally much; use "
                               "--objective speed",
                               dimension.field->path)};
  }
  if (batch_given) return std::nullopt;
  return Error{"--objective step",
               "says nothing where --micro-batches is given and the number of replicas varies: "
               "steps train unequally much; give --global-batch, or use --objective speed"};
}

std::optional<Error> wrong_outputs(const SearchArguments& arguments, const StartedShare& started) {
  std::error_code failure;
  if (!arguments.output.empty() && fs::exists(arguments.output, failure) &&
      !fs::is_directory(arguments.output, failure))
    return Error{"-o " + arguments.output, "is a file, expected a folder for the plans"};
  if (arguments.brief && arguments.pictures.wanted())
    return Error{"--html", "draws the advice, which --brief leaves out"};
  if (auto error = no_place_for(arguments.pictures)) return error;
  const bool folder = started.share.parts > 1 || arguments.merge;
  if (!folder) {
    if (arguments.state.empty()) return std::nullopt;
    return no_place("--state", arguments.state);
  }
  if (arguments.state.empty())
    return Error{"--state",
                 fmt::format("is missing: {} processes share this search, and leave what they find "
                             "in a folder that all of them see",
                             started.share.parts)};
  fs::create_directories(arguments.state, failure);
  if (fs::is_directory(arguments.state, failure)) return std::nullopt;
  return Error{"--state " + arguments.state, "is no folder, and cannot be made one"};
}

std::optional<Error> write_plans(const SearchArguments& arguments,
                                 const std::vector<FoundPlan>& plans) {
  if (arguments.output.empty()) return std::nullopt;
  std::error_code failure;
  fs::create_directories(arguments.output, failure);
  if (failure) return Error{"-o " + arguments.output, "cannot be made: " + failure.message()};
  for (const FoundPlan& plan : plans)
    if (auto error = write_file(fs::path(arguments.output) / (plan.plan.name + ".json"),
                                plan_text(plan.plan)))
      return error;
  return std::nullopt;
}

int threads_of(const SearchArguments& arguments) {
  return arguments.threads > 0
             ? arguments.threads
             : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

ExitCode show(const SearchArguments& arguments, const SearchQuestion& question,
              const SearchReport& about, int threads) {
  SearchReport report = about;
  const std::vector<Found> best = best_of(report.state, report.planned);
  if (best.empty()) {
    const Error none{"", nothing_text(report)};
    if (arguments.json) std::fputs(error_json(none).c_str(), stdout);
    complain(none);
    return ExitCode::answer_is_no;
  }
  Result<std::vector<FoundPlan>> plans = found_plans(question, report.machines, best, threads);
  if (!plans) return refuse(arguments, plans.error());
  report.plans = std::move(*plans);
  if (const auto error = write_plans(arguments, report.plans)) return refuse(arguments, *error);
  if (!arguments.brief) {
    Result<Advice> advice = advice_on_found(arguments, report.machines, report.plans);
    if (!advice) return refuse(arguments, advice.error());
    report.advice = std::move(*advice);
  }
  std::fputs((arguments.json ? search_report_json(report) : search_report_text(report)).c_str(),
             stdout);
  std::fflush(stdout);
  if (report.advice && arguments.pictures.wanted())
    if (const auto error = write_pictures(arguments.pictures, advice_page(*report.advice)))
      return refuse(arguments, *error);
  return ExitCode::done;
}

void remark(const SearchArguments& arguments, const std::string& text) {
  if (!arguments.quiet) std::fputs((text + "\n").c_str(), stderr);
}

std::string counts_text(const SearchCounts& counts, Seconds took) {
  return fmt::format(
      "{} estimated ({} not covered by analytic), {} simulated, {} excluded by bounds one by one, "
      "{} by memory, {} by limits, "
      "in "
      "{:.2f} s",
      counts.estimated, counts.uncovered, counts.simulated, counts.bounded, counts.too_large,
      counts.beyond, took.value);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

ExitCode search_in(const SearchArguments& arguments, const Wanted& wanted,
                   const SearchMachines& machines, const Candidates& candidates,
                   const StartedShare& started) {
  const AnalyticEvaluators factory;
  const SearchQuestion question{candidates, factory, wanted, machines.bills};
  SearchPlanned planned{threads_of(arguments), static_cast<std::size_t>(arguments.fluid),
                        static_cast<std::size_t>(arguments.top), arguments.exact == "fluid",
                        started.share};
  if (planned.simulate > 0) planned.simulate = std::max(planned.simulate, planned.list);
  Search search(question, planned);
  SearchIdentity identity{
      question_digest(question, planned, search.bounds_digest()),
      machines.inputs.front().model.name + ", " + first_line(space_text(candidates)),
      started.share};
  if (arguments.merge) {
    const Result<int> parts = parts_in(arguments.state);
    if (!parts) return refuse(arguments, parts.error());
    identity.share.parts = *parts;
  }
  SearchReport report{candidates, machines, wanted, planned, {}, {}, {}};
  const bool alone = identity.share.parts == 1 && !arguments.merge;
  if (!arguments.merge) {
    const fs::path file = arguments.state.empty() || alone
                              ? fs::path(arguments.state)
                              : part_file(arguments.state, identity.share);
    std::optional<Seconds> time;
    if (!arguments.time.empty()) time = *parse_long_time(arguments.time);
    const Result<SearchEnd> end = work_on(search, identity, {file, time, arguments.quiet});
    if (!end) return refuse(arguments, end.error());
    report.state = end->state;
    report.progress = end->progress;
    remark(arguments, counts_text(end->state.counts, end->took));
    if (!alone && end->state.phase != SearchPhase::done) {
      remark(arguments, "Stopped; started again, this part goes on from " + file.string());
      return ExitCode::done;
    }
    if (!alone && role_when_done(arguments.state, identity, started, !arguments.time.empty(),
                                 arguments.quiet) == PartRole::is_silent)
      return ExitCode::done;
  }
  if (!alone) {
    const Result<std::vector<SearchState>> parts = finished_parts(arguments.state, identity);
    if (!parts) return refuse(arguments, parts.error());
    report.state = merged(*parts, planned);
    report.progress = {1.0, {}, {}};
  }
  return show(arguments, question, report, planned.threads);
}

ExitCode search_plans(const SearchArguments& arguments) {
  const Result<StartedShare> started = share_of_this_process();
  if (!started) return refuse(arguments, started.error());
  if (arguments.inputs.plans.size() > 1)
    return refuse(arguments, {"plans", "one plan is taken, of which the search departs"});
  if (!arguments.time.empty())
    if (const auto time = parse_long_time(arguments.time); !time)
      return refuse(arguments, {"--time", time.error().what});
  const Result<Wanted> wanted = search_wish(arguments);
  if (!wanted) return refuse(arguments, wanted.error());
  const Result<SearchSettings> settings = search_settings(arguments);
  if (!settings) return refuse(arguments, settings.error());
  if (const auto error = wrong_outputs(arguments, *started)) return refuse(arguments, *error);
  const Result<SearchMachines> machines = search_machines(arguments, *settings, *wanted);
  if (!machines) return refuse(arguments, machines.error());
  std::vector<SearchMachine> of_search;
  FreeContext context{machines->inputs.front().model, {}, asked_global_batch(arguments, *settings)};
  for (std::size_t i = 0; i < machines->inputs.size(); ++i) {
    const Inputs& inputs = machines->inputs[i];
    of_search.push_back({inputs.topology, inputs.costs, inputs.compile, machines->names[i]});
    context.machines.push_back(size_of(inputs.topology));
  }
  if (arguments.fields) {
    std::fputs(search_fields_text(context).c_str(), stdout);
    return ExitCode::done;
  }
  Result<Space> space = search_space(arguments, *settings, context);
  if (!space) return refuse(arguments, space.error());
  if (const auto error = unlike_steps(*space, *wanted)) return refuse(arguments, *error);
  const Result<Candidates> candidates =
      Candidates::of(context.model, std::move(*space), std::move(of_search));
  if (!candidates) return refuse(arguments, candidates.error());
  for (const std::string& left_out : machines->left_out) remark(arguments, "Left out: " + left_out);
  if (arguments.count) {
    std::fputs((space_text(*candidates) + "\n").c_str(), stdout);
    return ExitCode::done;
  }
  remark(arguments, space_text(*candidates));
  return search_in(arguments, *wanted, *machines, *candidates, *started);
}

}  // namespace

std::unique_ptr<Verb> search_verb() {
  return make_verb<SearchArguments>(
      {"search", "Find the best plan, and the best machine, over all five layers",
       "Examples:\n"
       "  quintet search --model llama-3-70b --topology dgx-h100 --hosts 16 --global-batch 512 "
       "--sequence 8192 -o best\n"
       "  quintet search --model llama-3-70b --topology dgx-h100 --hosts 16 --global-batch 512 "
       "--sequence 8192 --tensor 4,8 --pipeline 1,2,4 --free ccl --free network.routing\n"
       "  quintet search --model llama-3-70b --topology dgx-h100 --topology dgx-b200 --hosts "
       "16,32,64 --global-batch 512 --sequence 8192 --tokens 1T --deadline \"60 d\" --objective "
       "money\n"
       "  quintet search best/01-*.json --model llama-3-70b --topology dgx-h100 --hosts 16 --free "
       "network --exact fluid\n"
       "  mpirun -np 8 quintet search ... --state shared/folder\n"
       "A value a..b is all whole numbers from a to b; --set FIELD=free is --free FIELD. Degrees "
       "of "
       "expert and context parallelism are 1: programs have neither yet.\n"
       "Exit: 0 found, 1 no candidate fits in memory or within the limits, 2 wrong usage or "
       "input."},
      {search_options, search_plans});
}

}  // namespace quintet
