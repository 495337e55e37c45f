#include "traces/command/replay_command.h"

#include <fmt/format.h>

#include <cstdio>

#include "sim/asked/settings.h"
#include "sim/base/output_place.h"
#include "sim/base/progress_line.h"
#include "sim/command/inputs.h"
#include "sim/command/machines/machine_inputs.h"
#include "sim/timeline/chrome_trace/chrome_trace.h"
#include "sim/usage/complain.h"
#include "traces/command/replay_inputs.h"
#include "traces/command/replay_text.h"
#include "traces/readers/read_workload.h"
#include "traces/replay/replay.h"

namespace quintet {

namespace {

struct ReplayArguments {
  std::vector<std::string> traces;
  MachineNames machines;
  ReadingWishes reading;
  std::string output;
  bool json = false, quiet = false;
};

Result<ReadWorkload> read(const ReplayArguments& arguments) {
  const std::vector<std::filesystem::path> files(arguments.traces.begin(), arguments.traces.end());
  ProgressLine line(arguments.quiet ? ProgressShown::never : ProgressShown::on_terminal);
  return read_workload(files, arguments.reading, [&line](std::size_t done, std::size_t of) {
    if (of > 0) line.show("Reading", static_cast<double>(done) / static_cast<double>(of));
  });
}

std::string on_text(const ReplayMachines& machines) {
  return "on " + machines.on->name;
}

std::string basis_text(const ReplayMachines& machines, const Workload& workload) {
  if (!workload.recorded) return "Communication takes what the model of this machine says.";
  if (!machines.recorded_on)
    return "Communication takes what the model of this machine says, computing what it took; "
           "--recorded-on NAME lets the recording correct the model.";
  return fmt::format(
      "Communication takes what the model says of it, and what it took beside the model of {}; "
      "computing takes what it took.",
      machines.recorded_on->name);
}

ExitCode replay_traces(const ReplayArguments& arguments) {
  if (!arguments.output.empty()) {
    if (const auto error = onto_input("--output", arguments.output, arguments.traces))
      return complain(*error);
    if (const auto error = no_place("--output", arguments.output)) return complain(*error);
  }
  const Result<ReplayMachines> machines = replay_machines(arguments.machines);
  if (!machines) return complain(machines.error());
  const Result<ReadWorkload> given = read(arguments);
  if (!given) return complain(given.error());
  const Workload& workload = given->workload;
  Timeline recorded;
  Replay as_it_was;
  if (workload.recorded) {
    recorded = timeline_of(workload);
    Result<Replay> replayed = replay(workload, {});
    if (!replayed) return complain(replayed.error());
    as_it_was = std::move(*replayed);
  }
  std::optional<Replay> changed;
  if (machines->on) {
    ReplayOptions options{.on = machines->on->machine()};
    if (machines->recorded_on) options.recorded_on = machines->recorded_on->machine();
    Result<Replay> replayed = replay(workload, options);
    if (!replayed) return complain(replayed.error());
    changed = std::move(*replayed);
  } else if (!workload.recorded) {
    return complain({arguments.traces.front(),
                     "says what ranks do, not when they did it: name a machine to replay it on "
                     "(--topology)"});
  }
  if (!arguments.output.empty()) {
    const auto written =
        write_chrome_trace(arguments.output, changed ? changed->timeline : as_it_was.timeline);
    if (!written) return complain(written.error());
  }
  const ReplayAnswer answer{workload,
                            given->format,
                            recorded,
                            as_it_was,
                            changed,
                            machines->on ? on_text(*machines) : "",
                            machines->on ? basis_text(*machines, workload) : ""};
  std::fputs((arguments.json ? replay_json(answer) : replay_text(answer)).c_str(), stdout);
  return ExitCode::done;
}

Options options(ReplayArguments& into) {
  using enum Need;
  MachineNames& machines = into.machines;
  return together(
      {{
           {"traces", &into.traces, "The traces of one job: one file of all ranks, or one of each",
            "TRACE", required},
           {"--topology", &machines.topology,
            "Replay the communication on this machine: a topology file or a shipped machine",
            "FILE"},
           {"--recorded-on", &machines.recorded_on,
            "The machine that was recorded: what communication took there corrects the model; "
            "without --topology, settings and faults are of this one",
            "FILE"},
           hosts_option(machines.hosts),
           {"--plan", &machines.plan,
            "Take the decisions of this plan's ccl, intra_inter, host_net and network", "PLAN"},
           {"--costs", &machines.costs, "Cost table; default: the shipped one for the machine",
            "FILE"},
           {"--step", &into.reading.step,
            "Which step, by its name, of a trace that holds several; default: the last whole one",
            "NAME"},
           {"-o,--output", &into.output,
            "Write the replayed step as a timeline, for compare, the window and Perfetto; packed "
            "where it ends in .gz or .zst",
            "FILE"},
           {"--json", &into.json, "Print JSON (schema_version 1) instead of tables"},
           {"-q,--quiet", &into.quiet, "No progress"},
           set_option(machines.set),
       },
       fault_options(machines.faults)});
}

}  // namespace

std::unique_ptr<Verb> replay_verb() {
  return make_verb<ReplayArguments>(
      {"replay", "Replay a recorded step: as it was, or on another machine",
       "Examples:\n"
       "  quintet replay measured.json\n"
       "  quintet replay rank*.json.gz --topology dgx-h100 --hosts 2 -o what-if.json\n"
       "  quintet replay measured.json --recorded-on box-4-1gbit --topology box-4-100mbit\n"
       "Exit: 0 done, 2 wrong usage or input."},
      {options, replay_traces});
}

}  // namespace quintet
