#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "sim/command/commands.h"
#include "sim/command/output_files.h"
#include "sim/command/search/search_session.h"
#include "sim/command/search/search_wish.h"
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

// What is wrong with options by themselves.
std::optional<Error> wrong_options(const SearchArguments& arguments, const StartedShare& started) {
  if (arguments.inputs.plans.size() > 1)
    return Error{"plans", "one plan is taken, of which the search departs"};
  if (!arguments.time.empty())
    if (const auto time = parse_long_time(arguments.time); !time)
      return Error{"--time", time.error().what};
  return wrong_outputs(arguments, started);
}

std::vector<SearchMachine> machines_of_search(const SearchMachines& machines) {
  std::vector<SearchMachine> all;
  for (std::size_t i = 0; i < machines.inputs.size(); ++i) {
    const Inputs& inputs = machines.inputs[i];
    all.push_back({inputs.topology, inputs.costs, inputs.compile, machines.names[i]});
  }
  return all;
}

FreeContext free_context(const SearchArguments& arguments, const SearchSettings& settings,
                         const SearchMachines& machines) {
  FreeContext context{machines.inputs.front().model, {}, asked_global_batch(arguments, settings)};
  for (const Inputs& inputs : machines.inputs) context.machines.push_back(size_of(inputs.topology));
  context.on_gpus =
      std::any_of(machines.inputs.begin(), machines.inputs.end(),
                  [](const Inputs& each) { return !each.topology.gpu_specs.empty(); });
  return context;
}

ExitCode print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return ExitCode::done;
}

ExitCode search_on(const SearchArguments& arguments, const Wanted& wanted,
                   const SearchSettings& settings, const SearchMachines& machines,
                   const StartedShare& started) {
  const FreeContext context = free_context(arguments, settings, machines);
  if (arguments.fields) return print(search_fields_text(context));
  Result<Space> space = search_space(arguments, settings, context);
  if (!space) return refuse(arguments, space.error());
  if (const auto error = unlike_steps(*space, wanted)) return refuse(arguments, *error);
  const Result<Candidates> candidates =
      Candidates::of(context.model, std::move(*space), machines_of_search(machines));
  if (!candidates) return refuse(arguments, candidates.error());
  if (!arguments.quiet)
    for (const std::string& left_out : machines.left_out)
      std::fputs(("Left out: " + left_out + "\n").c_str(), stderr);
  if (arguments.count) return print(space_text(*candidates) + "\n");
  if (!arguments.quiet) std::fputs((space_text(*candidates) + "\n").c_str(), stderr);
  const Result<ExitCode> code = search_in({arguments, wanted, machines, *candidates, started});
  return code ? *code : refuse(arguments, code.error());
}

ExitCode search_plans(const SearchArguments& arguments) {
  const Result<StartedShare> started = share_of_this_process();
  if (!started) return refuse(arguments, started.error());
  if (const auto error = wrong_options(arguments, *started)) return refuse(arguments, *error);
  const Result<Wanted> wanted = search_wish(arguments);
  if (!wanted) return refuse(arguments, wanted.error());
  const Result<SearchSettings> settings = search_settings(arguments);
  if (!settings) return refuse(arguments, settings.error());
  const Result<SearchMachines> machines = search_machines(arguments, *settings, *wanted);
  if (!machines) return refuse(arguments, machines.error());
  return search_on(arguments, *wanted, *settings, *machines, *started);
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
