#include "engine/command/run_ranks.h"

#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>

#include "engine/command/gpu_rank.h"
#include "engine/command/last_words.h"
#include "engine/command/start_ranks.h"
#include "engine/communication/network_backend.h"
#include "engine/device/gpu_module.h"
#include "engine/launch/meeting.h"
#include "engine/launch/rendezvous/network_interface.h"
#include "engine/launch/rendezvous/rendezvous_place.h"
#include "engine/network/transport/transport.h"
#include "engine/peers/transport_peers.h"
#include "engine/train/failed_rank.h"
#include "engine/train/thread_ranks.h"
#include "engine/train/training.h"
#include "sim/plan/delivery.h"
#include "sim/usage/complain.h"

namespace quintet::engine {
namespace {

// What a run tells people, as it happens.
void say_line(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

// The one thing a signal handler can reach, on whichever thread it runs.
std::atomic<bool> asked_to_end = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void ask_to_end(int) {
  asked_to_end = true;
}

// The first asks to end after the step, the second ends at once.
void listen_to_signals() {
  struct sigaction action {};
  action.sa_handler = ask_to_end;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool is_asked_to_end() {
  return asked_to_end.load();
}

RankExit failed(const RankIdentity& identity, const Error& error, RankExit exit) {
  rank_complains(identity, error);
  return exit;
}

Result<Meeting> meeting_of(const RankIdentity& identity, const NetworkInterface& interface,
                           const std::optional<MeetingPlace>& place) {
  if (place) return meet(identity, interface, *place, process_environment());
  Meeting meeting;
  std::getline(std::cin, meeting.token);  // from the launcher
  const Result<SocketAddress> server = address_from_environment();
  if (!server) return server.error();
  meeting.server = *server;
  Result<std::vector<SocketAddress>> elsewhere = other_addresses_from_environment();
  if (!elsewhere) return elsewhere.error();
  meeting.server_elsewhere = *std::move(elsewhere);
  return meeting;
}

// Where ranks that mpirun or srun started meet.
Result<MeetingPlace> meeting_place(const RunArguments& arguments, const RankIdentity& identity) {
  if (arguments.rendezvous.empty()) {
    Result<MeetingPlace> own = own_meeting_place(identity, process_environment());
    if (own && !arguments.token_file.empty()) own->token_file = arguments.token_file;
    return own;
  }
  const std::string token =
      arguments.token_file.empty() ? arguments.rendezvous + ".token" : arguments.token_file;
  return MeetingPlace{arguments.rendezvous, token, {}};
}

// Those that the plan asks for, where they carry what goes between stages.
std::size_t delegates_of(const Plan& plan) {
  const Delivery delivery = plan.host_net.pipeline_delivery.value_or(plan.host_net.delivery);
  const bool delegated =
      plan.parallelism.pipeline > 1 && row_of(delivery).driver == Driver::delegates;
  return delegated ? static_cast<std::size_t>(plan.host_net.delegates) : 0;
}

Result<std::unique_ptr<Transport>> joined(const Meeting& meeting, const RankIdentity& identity,
                                          const Plan& plan,
                                          const std::vector<NetworkInterface>& interfaces) {
  TransportOptions options;
  options.delegates = delegates_of(plan);
  options.ucx.interface = interfaces.front().name;
  options.interfaces = interfaces;
  options.on_rerouting = [rank = identity.rank](const std::string& what) {
    say_line(fmt::format("rank {} sends {}", rank.value, what));
  };
  options.join.server = meeting.server;
  options.join.server_elsewhere = meeting.server_elsewhere;
  options.join.token = meeting.token;
  options.join.rank = identity.rank;
  options.join.world = identity.world;
  const bool on_first_host = identity.by != StartedBy::quintet ||
                             process_environment()(rendezvous_rank_variable).has_value();
  options.join.host_of_server = on_first_host ? Rank{0} : Rank{};
  return Transport::join(options);
}

Result<TrainingEnd> train_on_cpu(const TrainingInputs& inputs, const TrainingOptions& options,
                                 Transport& transport, const TrainingHooks& hooks) {
  const Milliseconds within(static_cast<std::int64_t>(options.deadline * 1e3));
  TransportPeers peers(transport, within);
  auto communicator = NetworkBackend::make(inputs.program, inputs.plan.ccl, transport,
                                           {.within = within, .seats = inputs.seats});
  if (!communicator) {
    end_job(communicator.error(), peers);
    return communicator.error();
  }
  const Surroundings here;
  return train(inputs, options, {**communicator, peers, here}, hooks);
}

RankExit train_on(Transport& transport, const RankIdentity& identity, const TrainingInputs& inputs,
                  const TrainingOptions& options) {
  const TrainingHooks hooks{is_asked_to_end, say_line};
  const Result<TrainingEnd> end = options.processor == Processor::gpu
                                      ? train_on_gpu(inputs, options, identity, transport, hooks)
                                      : train_on_cpu(inputs, options, transport, hooks);
  if (!end) {
    const auto failure = transport.failure();
    const bool own = !failure || failure->rank == transport.rank();
    return failed(identity, end.error(), own ? RankExit::failed : RankExit::other_failed);
  }
  if (const auto failure = transport.close(Milliseconds(5000)))
    return failed(identity, failure->error(), RankExit::other_failed);
  return end->why == TrainingEnd::Why::done ? RankExit::done : RankExit::interrupted;
}

Result<std::shared_ptr<kernels::Device>> first_gpu() {
  auto opened = open_gpu(0);
  if (!opened) return opened.error();
  return std::shared_ptr<kernels::Device>(std::move(*opened));
}

}  // namespace

void rank_complains(const RankIdentity& identity, const Error& error) {
  const std::string said = complaint(error, identity.rank);
  if (identity.by == StartedBy::quintet)
    std::fprintf(stderr, "%s\n", said.c_str());
  else
    complain({fmt::format("rank {}", identity.rank.value), said});
}

RankExit run_rank(const RunArguments& arguments, const TrainingOptions& options,
                  const TrainingInputs& inputs, const RankIdentity& identity) {
  listen_to_signals();
  const std::string given = arguments.address.empty() ? "127.0.0.1" : arguments.address;
  const auto interfaces = find_interfaces(process_environment()(address_variable).value_or(given));
  if (!interfaces) return failed(identity, interfaces.error(), RankExit::wrong_input);
  std::optional<MeetingPlace> place;
  if (identity.by != StartedBy::quintet) {
    const Result<MeetingPlace> found = meeting_place(arguments, identity);
    if (!found) return failed(identity, found.error(), RankExit::wrong_input);
    place = *found;
  }
  const Result<Meeting> meeting = meeting_of(identity, interfaces->front(), place);
  if (!meeting) return failed(identity, meeting.error(), RankExit::wrong_input);
  const auto transport = joined(*meeting, identity, inputs.plan, *interfaces);
  if (place && identity.rank.value == 0) clear_up(*place);
  if (!transport) return failed(identity, transport.error(), RankExit::other_failed);
  return train_on(**transport, identity, inputs, options);
}

ExitCode run_in_threads(const TrainingInputs& inputs, const TrainingOptions& options,
                        RunProgress& progress, const std::vector<std::string>& command_line) {
  listen_to_signals();
  const DeviceOpener open = options.processor == Processor::gpu ? first_gpu : DeviceOpener();
  const auto say = [&progress](const std::string& line) {
    progress.before_output();
    say_line(line);
    progress.after_output(line);
  };
  const Result<TrainingEnd> end = train_in_threads(inputs, options, open, {is_asked_to_end, say});
  progress.before_output();
  if (end && end->why == TrainingEnd::Why::done) return ExitCode::done;
  const std::string cause =
      end ? fmt::format("interrupted after step {}", end->steps) : end.error().text();
  complain({"", last_words(cause, options, command_line)});
  return ExitCode::answer_is_no;
}

}  // namespace quintet::engine
