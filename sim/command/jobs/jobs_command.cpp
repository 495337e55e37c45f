#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

#include "sim/asked/field_text.h"
#include "sim/asked/settings.h"
#include "sim/base/progress_line.h"
#include "sim/command/commands.h"
#include "sim/command/inputs.h"
#include "sim/command/jobs/jobs_inputs.h"
#include "sim/command/jobs/jobs_report.h"
#include "sim/command/jobs/jobs_trace.h"
#include "sim/command/output_files.h"
#include "sim/jobs/job_file.h"
#include "sim/jobs/policy.h"
#include "sim/timeline/chrome_trace/chrome_trace.h"
#include "sim/usage/complain.h"

namespace quintet {

namespace {

struct JobsArguments {
  JobsNames names;
  std::vector<std::string> set;
  std::string placement = "first-fit", minimise = "worst-slowdown", policy = "none", output, trace;
  std::uint64_t seed = 1;
  int threads = 0, random_placements = 8;
  bool choose = false, json = false, quiet = false, fields = false;
};

constexpr const char* placement_words[] = {"first-fit", "packed", "random", "spread"};
constexpr const char* minimised_words[] = {"worst-slowdown", "makespan"};
constexpr const char* policy_words[] = {"none", "crux", "cassini"};
constexpr int traced_steps = 3;

template <class Enum, std::size_t size>
Enum of_word(const char* const (&words)[size], const std::string& given) {
  std::size_t place = 0;
  while (place + 1 < size && given != words[place]) ++place;
  return static_cast<Enum>(place);
}

ExitCode refuse(const JobsArguments& arguments, const Error& error) {
  if (arguments.json) std::fputs(error_json(error).c_str(), stdout);
  return complain(error);
}

// What was asked together and cannot be; better known before the work than after it.
std::optional<Error> wrong_together(const JobsArguments& arguments) {
  if (arguments.names.file.empty())
    return Error{"",
                 "jobs is required: a file of jobs, or the name of a shipped one\n"
                 "See quintet jobs --help."};
  if (arguments.names.topology.empty())
    return Error{"--topology", "is required: the machine that the jobs share"};
  if (arguments.choose && arguments.policy != "none")
    return Error{"--policy", "decides what --choose chooses; give one of them"};
  const std::vector<std::string> read{arguments.names.file, arguments.names.topology,
                                      arguments.names.costs};
  for (const auto& [option, file] :
       {std::pair{"-o", arguments.output}, std::pair{"--trace", arguments.trace}}) {
    if (file.empty()) continue;
    if (auto error = onto_input(option, file, read)) return error;
    if (auto error = no_place(option, file)) return error;
  }
  return std::nullopt;
}

// The jobs as they are to run: a file that says all that was decided.
JobFile decided(const JobsInputs& inputs, const JobDecisions& decisions) {
  JobFile file = inputs.file;
  const int on_host = static_cast<int>(inputs.machine.topology.hosts.front().gpus.size());
  for (std::size_t job = 0; job < file.jobs.size(); ++job) {
    JobEntry& entry = file.jobs[job];
    entry.model = inputs.models[job];
    entry.plan = inputs.plans[job];
    const JobDecision& its = decisions[job];
    entry.priority = its.traffic.priority;
    entry.weight = its.traffic.weight;
    entry.routing = its.routing;
    entry.hash_seed = its.hash_seed;
    entry.offset = its.offset;
    entry.pace = its.pace;
    entry.on_hosts.clear();
    for (const int slot : its.slots)
      if (entry.on_hosts.empty() || entry.on_hosts.back() != slot / on_host)
        entry.on_hosts.push_back(slot / on_host);
    entry.first_gpu = its.slots.front() % on_host;
  }
  return file;
}

// Files and the exit code of what was shown.
ExitCode finished(const JobsArguments& arguments, const JobsInputs& inputs,
                  const JobDecisions& decisions, const JointOutcome& outcome) {
  if (!arguments.output.empty())
    if (const auto error = write_file(arguments.output, jobs_text(decided(inputs, decisions))))
      return complain(*error);
  if (!arguments.trace.empty()) {
    const auto written =
        write_chrome_trace(arguments.trace, joint_timeline(inputs.machine, decisions, outcome));
    if (!written) return complain(written.error());
  }
  for (const Job& job : inputs.machine.jobs)
    if (!job.fits) return ExitCode::answer_is_no;
  return ExitCode::done;
}

int threads_of(const JobsArguments& arguments) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return arguments.threads > 0 ? arguments.threads : std::max(1, cores);
}

ExitCode choose_jobs(const JobsArguments& arguments, const JobsInputs& inputs,
                     const std::vector<JobReference>& reference) {
  ProgressLine progress(arguments.quiet ? ProgressShown::never : ProgressShown::on_terminal);
  ChooseWish wish;
  wish.minimised = of_word<Minimised>(minimised_words, arguments.minimise);
  wish.seed = arguments.seed;
  wish.random_placements = arguments.random_placements;
  wish.threads = threads_of(arguments);
  wish.joint.kept_timelines = arguments.trace.empty() ? 0 : traced_steps;
  wish.progress = [&](double share) { progress.show("Simulating", share); };
  const Result<Chosen> chosen = choose(inputs.machine, reference, wish);
  progress.clear();
  if (!chosen) return refuse(arguments, chosen.error());
  std::fputs((arguments.json ? chosen_report_json(inputs, *chosen, wish)
                             : chosen_report_text(inputs, *chosen, wish))
                 .c_str(),
             stdout);
  return finished(arguments, inputs, chosen->best.decisions, chosen->best.outlook.outcome);
}

// As the file has them, and then as a policy decides.
ExitCode run_policy(const JobsArguments& arguments, const JobsInputs& inputs,
                    const std::vector<JobReference>& reference, const JobDecisions& decisions) {
  const Policy policy = of_word<Policy>(policy_words, arguments.policy);
  JointOptions joint;
  joint.kept_timelines = arguments.trace.empty() ? 0 : traced_steps;
  const Result<Outlook> without = outlook(inputs.machine, decisions, reference, joint);
  if (!without) return refuse(arguments, without.error());
  const Result<JobDecisions> by_policy =
      decided_by(policy, inputs.machine, decisions, arguments.seed);
  if (!by_policy) return refuse(arguments, by_policy.error());
  const Result<Outlook> with = outlook(inputs.machine, *by_policy, reference, joint);
  if (!with) return refuse(arguments, with.error());
  const std::string name = arguments.placement;
  const std::string decided_name =
      policy == Policy::none ? name : name + ", " + std::string(name_of(policy));
  const PolicyCompared compared{
      policy, {name, decisions, *without}, {decided_name, *by_policy, *with}};
  std::string text;
  if (arguments.json) {
    text = jobs_report_json(inputs, compared);
  } else {
    text = jobs_report_text(inputs, compared.with);
    if (policy != Policy::none) text += policy_report_text(inputs, compared);
    text += published_text(inputs, compared);
  }
  std::fputs(text.c_str(), stdout);
  return finished(arguments, inputs, *by_policy, with->outcome);
}

ExitCode run_jobs(const JobsArguments& arguments) {
  if (arguments.fields) {
    std::fputs(fields_text(job_fields(), "").c_str(), stdout);
    return ExitCode::done;
  }
  if (const auto error = wrong_together(arguments)) return refuse(arguments, *error);
  const Result<AskedChanges> asked = one_combination(
      arguments.set, {AskedFile::topology, AskedFile::costs}, "plans of jobs are files");
  if (!asked) return refuse(arguments, asked.error());
  JobsNames names = arguments.names;
  names.topology_changes = asked->topology;
  names.costs_changes = asked->costs;
  const Result<JobsInputs> inputs = read_jobs_inputs(names);
  if (!inputs) return refuse(arguments, inputs.error());
  const Result<std::vector<JobReference>> reference = references(inputs->machine);
  if (!reference) return refuse(arguments, reference.error());
  if (arguments.choose) return choose_jobs(arguments, *inputs, *reference);
  const PlacementRule rule = of_word<PlacementRule>(placement_words, arguments.placement);
  const JobDecisions decisions = decisions_in(
      inputs->machine, placed(inputs->machine, alone_times(inputs->machine, *reference),
                              {rule, arguments.seed, {}}));
  return run_policy(arguments, *inputs, *reference, decisions);
}

Options options(JobsArguments& into) {
  return {
      {"jobs", &into.names.file, "File of jobs, or the name of a shipped one", "FILE"},
      {"--topology", &into.names.topology, "The machine that they share", "FILE"},
      hosts_option(into.names.hosts),
      {"--costs", &into.names.costs, "Cost table; default: the shipped one of the GPU", "FILE"},
      set_option(into.set),
      {"--placement", &into.placement,
       "Where jobs go that name no hosts: first-fit, packed, random or spread", "RULE",
       Need::has_default, OneOf{placement_words}},
      {"--policy", &into.policy,
       "Decide as a published scheduler does, beside the jobs left as the file has them: none, "
       "crux "
       "(routes and priorities by GPU intensity) or cassini (begins turned, steps paced)",
       "NAME", Need::has_default, OneOf{policy_words}},
      {"--choose", &into.choose,
       "Choose places, routes, traffic classes and begins; packed, random and first-fit stand "
       "beside it"},
      {"--minimise", &into.minimise, "What --choose makes least: worst-slowdown or makespan",
       "WHAT", Need::has_default, OneOf{minimised_words}},
      {"--random-placements", &into.random_placements, "Further ones that --choose tries", "N",
       Need::has_default, WholeRange{0, 10'000}},
      {"--seed", &into.seed, "Of random placements, and of --choose", "N", Need::has_default},
      {"--threads", &into.threads, "Of --choose, whose answer does not depend on it; 0: all cores",
       "N", Need::has_default, WholeRange{0, 1024}},
      {"-o,--output", &into.output,
       "Write the jobs with all that was decided: a file of jobs like the one given", "FILE"},
      {"--trace", &into.trace, "Write the first three steps of each job, for Perfetto", "FILE"},
      {"--json", &into.json, "Print JSON (schema_version 1) instead of tables"},
      {"--quiet", &into.quiet, "No progress on the standard error"},
      {"--fields", &into.fields, "List all fields of files of jobs"},
  };
}

}  // namespace

std::unique_ptr<Verb> jobs_verb() {
  return make_verb<JobsArguments>(
      {"jobs", "Predict several jobs that share one machine's network, and choose how they do best",
       "Examples:\n"
       "  quintet jobs crux-gpt-bert --topology crux-a100\n"
       "  quintet jobs crux-gpt-bert --topology crux-a100 --choose -o chosen.json\n"
       "Exit: 0 done, 1 a job does not fit in memory, 2 wrong usage or input."},
      {options, run_jobs});
}

}  // namespace quintet
