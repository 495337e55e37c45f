#include "tests/support/local_job.h"

#include <latch>
#include <thread>
#include <vector>

namespace quintet::engine {

TransportOptions options_for(const SocketAddress& server, int rank, const LocalJob& job) {
  TransportOptions options;
  options.ucx = {"lo", job.shared_memory};
  options.join.server = server;
  options.join.token = test_token;
  options.join.rank = Rank{rank};
  options.join.world = job.ranks;
  options.join.within = Milliseconds(20000);
  options.join.pulse = job.pulse;
  options.meet_up_to = job.meet_up_to;
  options.interfaces = job.interfaces;
  options.carrier = job.carrier;
  options.on_rerouting = job.on_rerouting;
  options.delegates = job.delegates;
  return options;
}

RendezvousOptions rendezvous_for(const LocalJob& job) {
  RendezvousOptions options;
  options.address = {"127.0.0.1", 0};
  options.token = test_token;
  options.world = job.ranks;
  options.pulse = job.pulse;
  options.everyone_within = Milliseconds(20000);
  return options;
}

std::string run_job(const LocalJob& job, const std::function<void(Transport&)>& body) {
  const auto server = RendezvousServer::start(rendezvous_for(job));
  if (!server) return server.error().text();
  std::vector<std::string> problems(static_cast<std::size_t>(job.ranks));
  std::vector<std::thread> ranks;
  std::latch everyone(job.ranks);
  for (int rank = 0; rank < job.ranks; ++rank)
    ranks.emplace_back([&, rank] {
      const auto transport = Transport::join(options_for((*server)->address(), rank, job));
      everyone.arrive_and_wait();
      if (transport)
        body(**transport);
      else
        problems[static_cast<std::size_t>(rank)] = transport.error().text();
    });
  for (std::thread& rank : ranks) rank.join();
  std::string all;
  for (const std::string& problem : problems) all += problem;
  return all;
}

}  // namespace quintet::engine
