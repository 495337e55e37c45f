#include "engine/command/run_rank.h"

#include <csignal>
#include <cstdio>
#include <iostream>

#include "engine/launch/network_interface.h"
#include "engine/launch/rendezvous_place.h"
#include "engine/train/training.h"
#include "engine/transport/transport.h"
#include "sim/usage/complain.h"

namespace quintet::engine {

namespace {

// The one thing a signal handler can reach.
volatile std::sig_atomic_t asked_to_end = 0;

void ask_to_end(int) {
  asked_to_end = 1;
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

RankExit failed(const Error& error, RankExit exit) {
  complain(error);
  return exit;
}

Result<TransportOptions> transport_options(const RunArguments& arguments,
                                           const RankIdentity& identity) {
  TransportOptions options;
  const Result<NetworkInterface> interface = find_interface(arguments.address);
  if (!interface) return interface.error();
  options.ucx.interface = interface->name;
  std::string token;
  std::getline(std::cin, token);
  options.join.token = token;
  const Result<SocketAddress> server = address_from_environment();
  if (!server) return server.error();
  options.join.server = *server;
  options.join.rank = identity.rank;
  options.join.world = identity.world;
  options.join.host_of_server = Rank{};
  return options;
}

RankExit train_on(Transport& transport, const TrainingInputs& inputs,
                  const TrainingOptions& options) {
  const TrainingHooks hooks{[] { return asked_to_end != 0; },
                            [](const std::string& line) {
                              std::printf("%s\n", line.c_str());
                              std::fflush(stdout);
                            }};
  const Result<TrainingEnd> end = train(inputs, options, transport, hooks);
  if (!end) {
    const auto failure = transport.failure();
    const bool own = !failure || failure->rank == transport.rank();
    return failed(end.error(), own ? RankExit::failed : RankExit::other_failed);
  }
  if (const auto failure = transport.close(Milliseconds(5000)))
    return failed(failure->error(), RankExit::other_failed);
  return end->why == TrainingEnd::Why::done ? RankExit::done : RankExit::interrupted;
}

}  // namespace

RankExit run_rank(const RunArguments& arguments, const RankIdentity& identity) {
  listen_to_signals();
  const Result<TrainingOptions> options = checked(arguments);
  if (!options) return failed(options.error(), RankExit::wrong_input);
  const Result<TrainingInputs> inputs = read_training_inputs(*options);
  if (!inputs) return failed(inputs.error(), RankExit::wrong_input);
  const Result<TransportOptions> transport_settings = transport_options(arguments, identity);
  if (!transport_settings) return failed(transport_settings.error(), RankExit::wrong_input);
  const auto transport = Transport::join(*transport_settings);
  if (!transport) return failed(transport.error(), RankExit::other_failed);
  return train_on(**transport, *inputs, *options);
}

}  // namespace quintet::engine
