#include "calibrate/messages/measure_on_gpus.h"

#include <csignal>
#include <vector>

#include "calibrate/messages/rank_processes.h"
#include "engine/launch/rank_starter.h"
#include "engine/launch/rendezvous/network_interface.h"
#include "engine/launch/rendezvous/rendezvous_place.h"
#include "engine/launch/rendezvous/rendezvous_proof.h"
#include "engine/launch/rendezvous/rendezvous_server.h"

extern char** environ;

namespace quintet::calibrate {
namespace {

constexpr const char* loopback = "127.0.0.1";

engine::ProcessStart start_of(const StartedRank& rank, const std::string& program,
                              const std::string& token) {
  engine::ProcessStart start;
  start.arguments = words_of(rank);
  start.arguments.insert(start.arguments.begin(), program);
  const std::string secret = std::string(engine::token_variable) + "=";
  for (char** each = environ; *each != nullptr; ++each)
    if (!std::string(*each).starts_with(secret)) start.environment.emplace_back(*each);
  start.environment.push_back(secret + token);
  return start;
}

}  // namespace

std::optional<Error> measure_on_gpus(int ranks, const MessageRequest& request,
                                     const std::string& program) {
  const auto interface = engine::find_interface(loopback);
  if (!interface) return interface.error();
  const Result<std::string> token = engine::fresh_token();
  if (!token) return token.error();
  engine::RendezvousOptions rendezvous;
  rendezvous.address = {interface->address, 0};
  rendezvous.token = *token;
  rendezvous.world = ranks;
  const auto server = engine::RendezvousServer::start(rendezvous);
  if (!server) return server.error();
  engine::LocalStarter starter;
  std::vector<pid_t> processes;
  std::optional<Error> wrong;
  for (int rank = 0; rank < ranks && !wrong; ++rank) {
    StartedRank started;
    started.rank = rank;
    started.ranks = ranks;
    started.server = (*server)->address();
    started.interface = interface->name;
    started.request = request;
    const Result<pid_t> process = starter.start(Rank{rank}, start_of(started, program, *token));
    if (process)
      processes.push_back(*process);
    else
      wrong = process.error();
  }
  if (!wrong) return all_ended(processes);
  for (const pid_t process : processes) kill(process, SIGTERM);
  all_ended(processes);
  return wrong;
}

}  // namespace quintet::calibrate
