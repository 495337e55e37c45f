// One rank of a job that sums for ever, for the tests to kill: RANK WORLD FOLDER [shared]. Prints
// "running" once data flows, and what ended it.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "engine/launch/rendezvous/rendezvous_place.h"
#include "engine/network/collectives/rank_group.h"
#include "tests/support/local_job.h"

namespace quintet::engine {
namespace {

int say(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
  return 1;
}

int run(int rank, LocalJob job, const std::filesystem::path& folder) {
  const std::filesystem::path place = folder / "rendezvous";
  std::unique_ptr<RendezvousServer> server;
  if (rank == 0) {
    auto started = RendezvousServer::start(rendezvous_for(job));
    if (!started) return say(started.error().text());
    server = *std::move(started);
    if (const auto wrong = publish(server->address(), place)) return say(wrong->text());
  }
  const auto address = published(place, Clock::now() + Milliseconds(20000));
  if (!address) return say(address.error().text());
  const auto transport = Transport::join(options_for(*address, rank, job));
  if (!transport) return say(transport.error().text());
  GroupOptions everyone;
  everyone.name = "everyone";
  for (int member = 0; member < job.ranks; ++member) everyone.members.push_back(Rank{member});
  const auto group = RankGroup::make(**transport, everyone);
  if (!group) return say(group.error().text());
  std::vector<float> buffer(300000, 1.0f);
  for (int step = 0;; ++step) {
    Result<Operation> sum = (*group)->start({.buffer = std::as_writable_bytes(std::span(buffer))});
    if (const auto failure = sum->wait()) return say(failure->text());
    if (step == 3) say("running");
  }
}

}  // namespace
}  // namespace quintet::engine

int main(int count, char** values) {
  using namespace quintet::engine;
  if (count < 4) return 2;
  LocalJob job{std::atoi(values[2]), SharedMemory::refuse, {}};
  if (count > 4 && std::strcmp(values[4], "shared") == 0) job.shared_memory = SharedMemory::use;
  return run(std::atoi(values[1]), job, values[3]);
}
