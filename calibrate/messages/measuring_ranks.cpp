#include "calibrate/messages/measuring_ranks.h"

#include <fmt/format.h>

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/emulated_cluster/emulated_cluster.h"
#include "engine/launch/rank_starter.h"
#include "engine/launch/rendezvous/network_interface.h"
#include "engine/launch/rendezvous/rendezvous_place.h"
#include "engine/launch/rendezvous/rendezvous_proof.h"
#include "engine/launch/rendezvous/rendezvous_server.h"

extern char** environ;

namespace quintet::calibrate {
namespace {

constexpr std::uint16_t port = 4777;  // of a network of our own
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

// Waits for all of them; the first that failed is named. Each has said why.
std::optional<Error> all_ended(const std::vector<pid_t>& processes) {
  std::optional<Error> wrong;
  for (std::size_t rank = 0; rank < processes.size(); ++rank) {
    int status = 0;
    waitpid(processes[rank], &status, 0);
    if (status != 0 && !wrong)
      wrong = Error{"timing messages", fmt::format("rank {} failed", rank)};
  }
  return wrong;
}

}  // namespace

std::optional<Error> measure_emulated(const Topology& topology, const Network& network, int ranks,
                                      const MessageRequest& request, const std::string& program) {
  std::vector<DeviceId> slots = rank_slots(topology);
  slots.resize(std::min(slots.size(), static_cast<std::size_t>(ranks)));
  engine::EmulatedClusterOptions options;
  options.network = network;
  const auto cluster = engine::EmulatedCluster::make(topology, slots, options);
  if (!cluster) return cluster.error();
  const Result<std::string> token = engine::fresh_token();
  if (!token) return token.error();
  std::vector<pid_t> processes;
  std::optional<Error> wrong;
  for (std::size_t slot = 0; slot < slots.size() && !wrong; ++slot) {
    const Rank rank{static_cast<std::int32_t>(slot)};
    StartedRank started;
    started.rank = rank.value;
    started.ranks = static_cast<int>(slots.size());
    started.host = topology.device(slots[slot]).host.value;
    started.server.host = (*cluster)->place(Rank{0}).address;
    started.server.port = port;
    started.interface = (*cluster)->place(rank).interface;
    started.request = request;
    engine::ProcessStart start;
    start.arguments = words_of(started);
    start.arguments.insert(start.arguments.begin(), program);
    start.environment = {std::string(engine::token_variable) + "=" + *token};
    const Result<pid_t> process = (*cluster)->start(rank, start);
    if (process)
      processes.push_back(*process);
    else
      wrong = process.error();
  }
  if (wrong) return wrong;  // the emulated cluster ends those that were started
  return all_ended(processes);
}

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
