#include "traces/command/replay_command.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <utility>

#include "sim/asked/settings.h"
#include "sim/base/output_place.h"
#include "sim/base/progress_line.h"
#include "sim/base/shown_text.h"
#include "sim/command/inputs.h"
#include "sim/command/machines/machine_inputs.h"
#include "sim/command/output_files.h"
#include "sim/usage/complain.h"
#include "traces/command/astra_mode.h"
#include "traces/command/replay_inputs.h"
#include "traces/command/replay_outputs.h"
#include "traces/command/replay_text.h"
#include "traces/learn/recognise.h"
#include "traces/learn/recorded_jobs.h"
#include "traces/readers/read_workload.h"
#include "traces/replay/replay.h"
#include "traces/report/diagnosis_report.h"

namespace quintet {

namespace {

struct ReplayArguments {
  std::vector<std::string> traces;
  MachineNames machines;
  ReadingWishes reading;
  AstraNames astra;
  ReplayOutputs outputs;
  std::vector<std::string> kernels;
  std::optional<int> ranks;
  std::string html;
  bool report = false, json = false, quiet = false;
};

Result<ReadWorkload> read(const ReplayArguments& arguments) {
  const std::vector<std::filesystem::path> files(arguments.traces.begin(), arguments.traces.end());
  ProgressLine line(arguments.quiet ? ProgressShown::never : ProgressShown::on_terminal);
  return read_workload(files, arguments.reading, [&line](std::size_t done, std::size_t of) {
    if (of > 0) line.show("Reading", static_cast<double>(done) / static_cast<double>(of));
  });
}

// "gemm=0.5"
Result<std::vector<KernelChange>> kernel_changes(const std::vector<std::string>& given) {
  std::vector<KernelChange> changes;
  for (const std::string& each : given) {
    const std::size_t equals = each.rfind('=');
    KernelChange change;
    if (equals != std::string::npos) {
      const char* const end = each.data() + each.size();
      const auto [stopped, failure] = std::from_chars(each.data() + equals + 1, end, change.factor);
      change.name = each.substr(0, equals);
      if (failure == std::errc{} && stopped == end && change.factor >= 0 && !change.name.empty()) {
        changes.push_back(std::move(change));
        continue;
      }
    }
    return Error{"--kernel",
                 "expected part of a kernel's name and how many times as long it takes, "
                 "such as gemm=0.5, found " +
                     in_quotes(each)};
  }
  return changes;
}

// So many times the recorded job, where that is meant.
Result<int> replicas_of(const ReplayArguments& arguments, const Workload& workload, bool machine) {
  if (!arguments.ranks) return 1;
  const auto refused = [&](const std::string& why) { return Error{"--ranks", why}; };
  if (!machine) return refused("asks for another machine: name it (--topology)");
  if (*arguments.ranks % workload.world_size != 0)
    return refused(
        fmt::format("expected a multiple of the {} ranks of the recorded job, whose "
                    "replicas are put side by side",
                    workload.world_size));
  for (const WorkloadRank& rank : workload.ranks)
    for (const WorkloadTask& task : rank.tasks) {
      const SpanInfo& info = workload.infos[static_cast<std::size_t>(task.info)];
      if (info.kind == SpanKind::collective && info.axis == Axis::data)
        return *arguments.ranks / workload.world_size;
    }
  return refused(
      "no collective of the trace is over data-parallel replicas, as far as its groups' names "
      "tell: "
      "more replicas would have nothing to do with each other");
}

struct Replays {
  std::optional<Replay> as_recorded, changed, low, high;
};

std::optional<Error> put(std::optional<Replay>& into, const Workload& workload,
                         const ReplayOptions& options) {
  Result<Replay> replayed = replay(workload, options);
  if (!replayed) return replayed.error();
  into = std::move(*replayed);
  return std::nullopt;
}

Result<Replays> replay_all(const ReplayArguments& arguments, const ReplayMachines& machines,
                           const Workload& workload) {
  Replays made;
  if (workload.recorded)
    if (const auto error = put(made.as_recorded, workload, {})) return *error;
  ReplayOptions options;
  Result<std::vector<KernelChange>> kernels = kernel_changes(arguments.kernels);
  if (!kernels) return kernels.error();
  options.kernels = std::move(*kernels);
  const Result<int> replicas = replicas_of(arguments, workload, machines.on.has_value());
  if (!replicas) return replicas.error();
  options.replicas = *replicas;
  if (machines.on) options.on = machines.on->machine();
  if (machines.recorded_on) options.recorded_on = machines.recorded_on->machine();
  const std::optional<GpuChanges> gpu = gpu_changes(machines);
  if (gpu) options.gpu = gpu->likely;
  if (!machines.on && options.kernels.empty()) return made;
  if (const auto error = put(made.changed, workload, options)) return *error;
  for (std::size_t i = 0; i < options.kernels.size(); ++i)
    if (made.changed->changed_kernels[i] == 0)
      return Error{
          "--kernel " + options.kernels[i].name,
          "no kernel has that in its name; names stand in the timeline (-o) and the report "
          "(--report)"};
  if (!gpu || gpu->least == gpu->most) return made;
  options.gpu = gpu->least;
  if (const auto error = put(made.low, workload, options)) return *error;
  options.gpu = gpu->most;
  if (const auto error = put(made.high, workload, options)) return *error;
  return made;
}

// What job it is. Shapes stand in what the profilers wrote alone, and not in the workload.
std::string recognised_text(const ReplayArguments& arguments, const ReadWorkload& given) {
  const std::vector<std::filesystem::path> files(arguments.traces.begin(), arguments.traces.end());
  std::vector<RankTrace> traces;
  if (!given.original)
    if (Result<std::vector<RankTrace>> read = rank_traces(files)) traces = std::move(*read);
  const auto job = recognise(given.workload, traces, arguments.reading.step);
  return job ? "\n" + text_of(*job) : "";
}

ExitCode print_report(const ReplayArguments& arguments, const ReadWorkload& given,
                      const Timeline& recorded) {
  const Timeline& shown = given.original ? *given.original : recorded;
  const Diagnosis diagnosis = diagnose(shown, given.workload);
  if (!arguments.html.empty())
    if (const auto error = write_file(arguments.html, diagnosis_html(diagnosis, shown)))
      return complain(*error);
  if (arguments.report)
    std::fputs((arguments.json ? diagnosis_json(diagnosis) : diagnosis_text(diagnosis)).c_str(),
               stdout);
  if (arguments.report && !arguments.json)
    std::fputs(recognised_text(arguments, given).c_str(), stdout);
  return ExitCode::done;
}

std::optional<Error> wrong_usage(const ReplayArguments& arguments) {
  if (auto error = wrong_with(arguments.outputs, arguments.traces)) return error;
  if (arguments.html.empty()) return std::nullopt;
  if (auto error = onto_input("--html", arguments.html, arguments.traces)) return error;
  return no_place("--html", arguments.html);
}

ExitCode replay_read(const ReplayArguments& arguments, const ReplayMachines& machines,
                     const ReadWorkload& given) {
  const Workload& workload = given.workload;
  if (!workload.recorded && !machines.on)
    return complain({arguments.traces.front(),
                     "says what ranks do, not when they did it: name a machine to replay it on "
                     "(--topology), or ASTRA-sim's files (--astra-network, --astra-system)"});
  const bool report = arguments.report || !arguments.html.empty();
  if (report && !workload.recorded)
    return complain({"--report",
                     "is of a recorded step, and this is none: replay it, write it with "
                     "-o, and ask of that"});
  if (report && (machines.on || !arguments.kernels.empty() || arguments.ranks))
    return complain({"--report",
                     "is of the step as it was recorded: replay it otherwise with -o, "
                     "and ask of that file"});
  if (given.original && !arguments.reading.step.empty())
    return complain({"--step", "is of traces with several steps, and a timeline of ours has one"});
  const Result<Replays> replays = replay_all(arguments, machines, workload);
  if (!replays) return complain(replays.error());
  const Timeline recorded = workload.recorded ? timeline_of(workload) : Timeline{};
  const Replay& shown = replays->changed ? *replays->changed : *replays->as_recorded;
  const NamedMachine* const machine = machines.on            ? &*machines.on
                                      : machines.recorded_on ? &*machines.recorded_on
                                                             : nullptr;
  if (const auto error = write_outputs(
          arguments.outputs,
          {shown.timeline, workload, machine == nullptr ? nullptr : &machine->topology}))
    return complain(*error);
  if (report) {
    const ExitCode code = print_report(arguments, given, recorded);
    if (arguments.report || code != ExitCode::done) return code;
  }
  const ReplayAnswer answer{workload,         given.format, recorded,      replays->as_recorded,
                            replays->changed, replays->low, replays->high, machines};
  std::fputs((arguments.json ? replay_json(answer) : replay_text(answer)).c_str(), stdout);
  return ExitCode::done;
}

ExitCode replay_traces(const ReplayArguments& arguments) {
  if (const auto error = wrong_usage(arguments)) return complain(*error);
  const Result<ReplayMachines> machines = replay_machines(arguments.machines);
  if (!machines) return complain(machines.error());
  const Result<ReadWorkload> given = read(arguments);
  if (!given) return complain(given.error());
  if (arguments.astra.wanted())
    return replay_as_astra(arguments.astra, given->workload, arguments.json);
  return replay_read(arguments, *machines, *given);
}

Options machine_options(MachineNames& into) {
  return {
      {"--topology", &into.topology,
       "Replay the communication on this machine: a topology file or a shipped machine", "FILE"},
      {"--recorded-on", &into.recorded_on,
       "The machine that was recorded: what communication took there corrects the model; without "
       "--topology, settings and faults are of this one",
       "FILE"},
      hosts_option(into.hosts),
      {"--plan", &into.plan,
       "Take the decisions of this plan's ccl, intra_inter, host_net and network", "PLAN"},
      {"--costs", &into.costs, "Cost table; default: the shipped one for the machine", "FILE"},
  };
}

Options output_options(ReplayArguments& into) {
  return {
      {"--report", &into.report,
       "Say what costs the recorded step its time and what to do, instead of replaying it"},
      {"--html", &into.html, "Write that report as a page, too", "FILE"},
      {"-o,--output", &into.outputs.timeline,
       "Write the replayed step as a timeline, for compare, the window and Perfetto: JSON (packed "
       "where it ends in .gz or .zst), Perfetto's protobuf (.pftrace) or a table (.csv)",
       "FILE"},
      {"--chakra", &into.outputs.chakra,
       "Write what was read as Chakra's files PREFIX.<rank>.et, for ASTRA-sim", "PREFIX"},
      {"--astra-inputs", &into.outputs.astra,
       "Write the machine as ASTRA-sim's network and system files into this folder, too, with what "
       "they lose of it",
       "FOLDER"},
      {"--kineto", &into.outputs.kineto,
       "Write what was read as a Kineto trace per rank into this folder, for HTA and others",
       "FOLDER"},
      {"--json", &into.json, "Print JSON (schema_version 1) instead of text"},
      {"-q,--quiet", &into.quiet, "No progress"},
  };
}

Options options(ReplayArguments& into) {
  using enum Need;
  return together(
      {{{"traces", &into.traces,
         "The traces of one job, one file of all ranks or one of each, or a folder of them: ours, "
         "PyTorch's profiler (Kineto), Nsight Systems (SQLite), NCCL Inspector and profiler, "
         "Perfetto, Chakra, SimAI",
         "TRACE", required}},
       machine_options(into.machines),
       {{"--ranks", &into.ranks,
         "As many ranks: data-parallel replicas of the recorded job side by side", "N", optional,
         WholeRange{1, 1 << 20}},
        {.names = "--kernel",
         .into = &into.kernels,
         .does = "Kernels with this in their name take so many times as long; may be repeated",
         .type = "NAME=FACTOR",
         .one_each_time = true},
        {"--step", &into.reading.step,
         "Which step, by its name or number, of a trace that holds several; default: the last that "
         "launches anything",
         "NAME"},
        {"--astra-network", &into.astra.network,
         "Replay by ASTRA-sim's own rules, on its network file (.yml)", "FILE"},
        {"--astra-system", &into.astra.system, "And its system file (.json)", "FILE"},
        {"--astra-aware", &into.astra.aware,
         "By its back end that knows congestion; default: by the other"}},
       output_options(into),
       {set_option(into.machines.set)},
       fault_options(into.machines.faults)});
}

}  // namespace

std::unique_ptr<Verb> replay_verb() {
  return make_verb<ReplayArguments>(
      {"replay", "Replay a recorded step, ours or another program's: as it was, or otherwise",
       "Examples:\n"
       "  quintet replay measured.json --report\n"
       "  quintet replay rank*.json.gz --topology dgx-h100 --hosts 2 -o what-if.json\n"
       "  quintet replay measured.json --recorded-on box-4-1gbit --topology box-4-100mbit\n"
       "  quintet replay measured.json --recorded-on box-4-1gbit --delay host1/nic0=5ms\n"
       "Exit: 0 done, 2 wrong usage or input."},
      {options, replay_traces});
}

}  // namespace quintet
