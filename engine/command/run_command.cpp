#include "engine/command/run_command.h"

#include <filesystem>

#include "engine/command/run_arguments.h"
#include "engine/command/run_rank.h"
#include "engine/launch/launcher.h"
#include "engine/launch/network_interface.h"
#include "engine/launch/rank_identity.h"
#include "engine/launch/rendezvous_place.h"
#include "engine/launch/rendezvous_proof.h"
#include "engine/launch/rendezvous_server.h"
#include "engine/train/training_data.h"
#include "engine/train/training_inputs.h"
#include "sim/usage/complain.h"

extern char** environ;

namespace quintet::engine {

namespace {

struct Run final : Verb {
  explicit Run(std::vector<std::string> words) : given(std::move(words)) {}
  ExitCode run() const override;

  std::vector<std::string> given;
  RunArguments arguments;
};

ProcessStart rank_process(const Run& run, const RankIdentity& identity,
                          const SocketAddress& rendezvous) {
  ProcessStart process;
  process.arguments = {std::filesystem::read_symlink("/proc/self/exe").string()};
  process.arguments.insert(process.arguments.end(), run.given.begin() + 1, run.given.end());
  for (char** each = environ; *each; ++each) process.environment.emplace_back(*each);
  for (const std::string& variable : variables_of(identity))
    process.environment.push_back(variable);
  process.environment.push_back(std::string(rendezvous_variable) + "=" + rendezvous.text());
  const std::string threads = std::to_string(run.arguments.threads);
  process.environment.push_back("OMP_NUM_THREADS=" + threads);
  process.environment.push_back("OMP_WAIT_POLICY=passive");
  return process;
}

Result<LaunchEnd> start_ranks(const Run& run, int world) {
  const Result<NetworkInterface> interface = find_interface(run.arguments.address);
  if (!interface) return interface.error();
  const Result<std::string> token = fresh_token();
  if (!token) return token.error();
  RendezvousOptions rendezvous;
  rendezvous.address = {interface->address, 0};
  rendezvous.token = *token;
  rendezvous.world = world;
  const auto server = RendezvousServer::start(rendezvous);
  if (!server) return server.error();
  LaunchOptions options;
  options.world = world;
  options.token = *token;
  options.process = [&](Rank rank) {
    return rank_process(run, {rank, world, rank.value, world, StartedBy::quintet},
                        (*server)->address());
  };
  LocalStarter starter;
  return launch(options, starter);
}

std::optional<Error> wrong_world(const RunArguments& arguments, const TrainingInputs& inputs,
                                 int started, const std::string& by) {
  const int needed = world_size(inputs.plan.parallelism);
  if (started == needed) return std::nullopt;
  return Error{by, "are " + std::to_string(started) + " ranks, but the plan " + arguments.plan +
                       " has " + std::to_string(needed) + " (tensor x data x pipeline)"};
}

ExitCode Run::run() const {
  const Result<std::optional<RankIdentity>> identity = rank_identity(process_environment());
  if (!identity) return complain(identity.error());
  if (*identity) return static_cast<ExitCode>(run_rank(arguments, **identity));
  const Result<TrainingOptions> options = checked(arguments);
  if (!options) return complain(options.error());
  const Result<TrainingInputs> inputs = read_training_inputs(*options);
  if (!inputs) return complain(inputs.error());
  const int world = arguments.ranks.value_or(world_size(inputs->plan.parallelism));
  if (const auto wrong = wrong_world(arguments, *inputs, world, "--ranks")) return complain(*wrong);
  const auto data =
      read_training_data(*options, inputs->model, inputs->plan.parallelism.sequence_length);
  if (!data) return complain(data.error());
  const Result<LaunchEnd> end = start_ranks(*this, world);
  if (!end) return complain(end.error());
  if (end->exit == RankExit::done) return ExitCode::done;
  complain({"", end->verdict});
  return end->exit == RankExit::wrong_input ? ExitCode::wrong_input : ExitCode::answer_is_no;
}

}  // namespace

std::unique_ptr<Verb> add_run(CLI::App& program, const std::vector<std::string>& given) {
  auto verb = std::make_unique<Run>(given);
  CLI::App* const app =
      program.add_subcommand("run", "Train for real: execute a plan on CPU ranks");
  verb->app = app;
  add_run_options(*app, verb->arguments);
  return verb;
}

}  // namespace quintet::engine
