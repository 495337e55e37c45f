#include "engine/command/run_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/before/looks.h"
#include "engine/before/start_state.h"
#include "engine/command/last_words.h"
#include "engine/command/run_arguments.h"
#include "engine/command/run_faults.h"
#include "engine/command/run_progress.h"
#include "engine/command/run_ranks.h"
#include "engine/command/start_ranks.h"
#include "engine/device/gpu_module.h"
#include "engine/executor/support.h"
#include "engine/train/kernel_choice.h"
#include "engine/train/training_data.h"
#include "engine/train/training_inputs.h"
#include "sim/usage/complain.h"
#include "sim/usage/out_of_memory.h"

namespace quintet::engine {

namespace {

struct Run {
  std::vector<std::string> command_line;
  RunArguments arguments;
};

bool uses_nccl(const BackendKinds& backends) {
  return backends.collectives == BackendKind::nccl || backends.messages == BackendKind::nccl;
}

// Asked first: reading the data may take its time. Whoever `says` tells people what was changed in
// the environment for it.
enum class Says { nothing, remarks };
std::optional<Error> missing_gpu(const TrainingOptions& options, Says says) {
  if (options.processor == Processor::cpu) return std::nullopt;
  const auto remark = connections_remark(process_environment()("CUDA_DEVICE_MAX_CONNECTIONS"));
  if (remark && says == Says::remarks) fmt::print("{}\n", *remark);
  const Result<int> gpus = found_gpus();
  return gpus ? std::nullopt : std::optional(Error{"--device gpu", gpus.error().text()});
}

// Everything that can be known before a rank is started.
Result<TrainingInputs> checked_inputs(const TrainingOptions& options) {
  Result<TrainingInputs> inputs =
      making("the Program of the plan", "less is needed with fewer parallelism.micro_batches",
             [&] { return read_training_inputs(options); });
  if (!inputs) return inputs;
  if (const auto wrong = unsupported(inputs->program, inputs->plan)) return *wrong;
  if (const auto wrong = unsupported(inputs->model)) return *wrong;
  if (const auto wrong = unsupported(options.loss_scaling, inputs->plan.parallelism)) return *wrong;
  if (options.processor == Processor::cpu)
    if (const auto kernels = make_kernels(options.kernels, options.threads); !kernels)
      return kernels.error();
  if (options.shaped == TrainingOptions::Shaped::yes) {
    Result<std::vector<std::string>> emulated = deviations_by_emulation(*inputs);
    if (!emulated) return emulated.error();
    if (uses_nccl(inputs->backends))
      return Error{"--shape", "makes a network that NCCL does not look for; use --carry host"};
    inputs->deviations = deviations_by(*inputs, options, std::move(*emulated));
  }
  return inputs;
}

// ... and that a rank need not look at again which the launcher started.
std::optional<Error> wrong_files(const TrainingInputs& inputs, const TrainingOptions& options) {
  if (auto wrong = unusable_start(inputs, options)) return wrong;
  return making(
      "the tokens of the data",
      "less is needed with token shards (.bin), which are not read as a whole, or a part of them",
      [&] { return check_data(options, inputs.model, inputs.plan.parallelism); });
}

// What every GPU has, now; none where none is used, or the ranks are on other machines too.
Result<std::vector<double>> free_of_gpus(const RunArguments& arguments,
                                         const TrainingOptions& options) {
  std::vector<double> free;
  if (options.processor == Processor::cpu || !arguments.hosts.empty()) return free;
  const int used = options.ranks == RankKind::threads ? 1 : count_gpus();
  for (int gpu = 0; gpu < used; ++gpu) {
    const auto device = open_gpu(gpu);
    if (!device) return device.error();
    free.push_back(static_cast<double>((*device)->free_memory()));
  }
  return free;
}

// What is said before the first step, or why there will be none.
Result<std::vector<std::string>> looked_at(const RunArguments& arguments,
                                           const TrainingOptions& options,
                                           const TrainingInputs& inputs, int world,
                                           Estimate estimate) {
  const Result<int> here = ranks_here(arguments, world);
  if (!here) return here.error();
  const Result<std::vector<double>> gpus = free_of_gpus(arguments, options);
  if (!gpus) return gpus.error();
  LookOptions how;
  how.memory = arguments.memory_check == "off" ? MemoryCheck::off : MemoryCheck::on;
  how.costs = arguments.costs;
  how.estimate = arguments.quiet ? Estimate::left_out : estimate;
  how.ranks_here = *here;
  if (*here < world)
    how.ranks_note =
        fmt::format(" Of the machines of {} other ranks nothing is known.", world - *here);
  return look(inputs, options, how, machine_limits(), *gpus);
}

std::optional<Error> wrong_world(const RunArguments& arguments, const TrainingInputs& inputs,
                                 int world, const std::string& who, const std::string& remedy) {
  const int needed = world_size(inputs.plan.parallelism);
  if (world == needed) return std::nullopt;
  return Error{
      who, fmt::format("{} ranks, but plan {} has parallelism for {}; {} {} or another plan", world,
                       arguments.plan, needed, remedy, needed)};
}

ExitCode exit_code(RankExit exit) {
  switch (exit) {
    case RankExit::done:
      return ExitCode::done;
    case RankExit::wrong_input:
      return ExitCode::wrong_input;
    case RankExit::failed:
    case RankExit::other_failed:
    case RankExit::interrupted:
      break;
  }
  return ExitCode::answer_is_no;
}

void say(const std::vector<std::string>& lines, const RunArguments& arguments) {
  if (arguments.quiet) return;
  for (const std::string& line : lines) fmt::print("{}\n", line);
  std::fflush(stdout);
}

ExitCode be_rank(const RunArguments& arguments, const TrainingOptions& options,
                 const RankIdentity& identity) {
  const auto refused = [&](const Error& error) {
    rank_complains(identity, error);
    return ExitCode::wrong_input;
  };
  const bool launched = identity.by == StartedBy::quintet;
  if (!launched && !arguments.shape.empty())
    return refused({"--shape", "starts the ranks itself; run it without mpirun or srun"});
  if (!launched && !arguments.hosts.empty())
    return refused({"--hosts", "names where to start ranks; run it without mpirun or srun"});
  if (!launched && options.ranks == RankKind::threads)
    return refused({"--one-process", "starts no processes; run it without mpirun or srun"});
  const Says says = !launched && identity.rank == Rank{0} ? Says::remarks : Says::nothing;
  if (const auto missing = missing_gpu(options, says)) return refused(*missing);
  const Result<TrainingInputs> inputs = checked_inputs(options);
  if (!inputs) return refused(inputs.error());
  if (const auto wrong = wrong_world(arguments, *inputs, identity.world,
                                     launched ? "the launcher" : "mpirun or srun", "start"))
    return refused(*wrong);
  if (!launched) {
    if (const auto wrong = wrong_files(*inputs, options)) return refused(*wrong);
    const auto lines = looked_at(arguments, options, *inputs, std::max(1, identity.local_world),
                                 identity.rank == Rank{0} ? Estimate::wanted : Estimate::left_out);
    if (!lines) return refused(lines.error());
    if (identity.rank == Rank{0}) say(*lines, arguments);
  }
  TrainingOptions placed = options;
  placed.ranks_on_host = std::max(1, identity.local_world);
  const RankExit end = run_rank(arguments, placed, *inputs, identity);
  // The launcher tells its ranks' ends apart; elsewhere a program has three.
  return launched ? static_cast<ExitCode>(end) : exit_code(end);
}

std::optional<Error> for_mpirun_only(const RunArguments& arguments) {
  for (const auto& [option, given] : {std::pair{"--rendezvous", arguments.rendezvous},
                                      std::pair{"--token-file", arguments.token_file}})
    if (!given.empty())
      return Error{option,
                   "is for ranks that mpirun or srun starts; here quintet run starts them "
                   "and makes a token of its own; leave it out"};
  return std::nullopt;
}

ExitCode launch_ranks(const Run& run, const TrainingOptions& options) {
  if (const auto wrong = for_mpirun_only(run.arguments)) return complain(*wrong);
  if (run.arguments.hosts.empty())
    if (const auto missing = missing_gpu(options, Says::remarks)) return complain(*missing);
  const Result<TrainingInputs> inputs = checked_inputs(options);
  if (!inputs) return complain(inputs.error());
  const int world = run.arguments.ranks.value_or(world_size(inputs->plan.parallelism));
  if (const auto wrong = wrong_world(run.arguments, *inputs, world, "--ranks", "use --ranks"))
    return complain(*wrong);
  if (const auto wrong = wrong_files(*inputs, options)) return complain(*wrong);
  const auto lines = looked_at(run.arguments, options, *inputs, world, Estimate::wanted);
  if (!lines) return complain(lines.error());
  RunProgress progress(run.arguments.quiet ? ProgressShown::never : ProgressShown::on_terminal,
                       options.steps);
  if (options.ranks == RankKind::threads) {
    say(*lines, run.arguments);
    return run_in_threads(*inputs, options, progress, run.command_line);
  }
  const Result<std::optional<FaultPlan>> faults = faults_asked(run.arguments, *inputs);
  if (!faults) return complain(faults.error());
  const Result<LaunchEnd> end =
      start_ranks({run.arguments, *inputs, run.command_line, world, *faults,
                   [&] { say(*lines, run.arguments); }, [&progress] { progress.before_output(); },
                   [&progress](const std::string& line) { progress.after_output(line); }});
  progress.before_output();
  if (!end) return complain(end.error());
  if (end->exit == RankExit::wrong_input) return complain({"", end->verdict});
  if (end->exit != RankExit::done)
    complain({"", last_words(end->verdict, options, run.command_line)});
  return exit_code(end->exit);
}

ExitCode run(const Run& run) {
  const Result<TrainingOptions> options = checked(run.arguments);
  if (!options) return complain(options.error());
  const Result<std::optional<RankIdentity>> identity = rank_identity(process_environment());
  if (!identity) return complain(identity.error());
  if (*identity) return be_rank(run.arguments, *options, **identity);
  const ExitCode code = launch_ranks(run, *options);
  if (code == ExitCode::done)
    if (const auto saved = saved_words(*options)) say({*saved}, run.arguments);
  return code;
}

}  // namespace

std::unique_ptr<Verb> train_verb(const std::vector<std::string>& command_line) {
  return make_verb<Run>(
      {"run",
       "Train for real: execute a plan on CPU cores or GPUs, by the program that is simulated",
       "Examples:\n"
       "  quintet run tiny-gpt-tp2-pp2 --model tiny-gpt --data the-valley --steps 10\n"
       "  quintet run tiny-gpt-dp4 --model tiny-gpt --data the-valley --steps 10 --timeline "
       "measured.json --log log.jsonl\n"
       "On GPUs, and with all ranks of a plan on one GPU:\n"
       "  quintet run --device gpu tiny-gpt-dp4 --model tiny-gpt --data the-valley\n"
       "  quintet run --device gpu --one-process tiny-gpt-dp4 --model tiny-gpt --data the-valley\n"
       "Under mpirun or srun the same command takes its rank from the environment:\n"
       "  mpirun -n 4 quintet run tiny-gpt-zero3 --model tiny-gpt --data the-valley\n"
       "Exit: 0 done, 1 a rank failed or the run was interrupted, 2 wrong usage or input, known "
       "before the first step."},
      {[](Run& into) { return run_options(into.arguments); }, run}, Run{command_line, {}});
}

}  // namespace quintet::engine
