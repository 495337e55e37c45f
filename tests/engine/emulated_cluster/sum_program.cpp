// A rank that sums with all others, allowed to use shared memory where it can: RANK WORLD HOST:PORT
// INTERFACE FLOATS. Rank 0 holds the rendezvous there. Prints the seconds of the second sum.
#include <cstdio>
#include <cstdlib>

#include "engine/launch/rendezvous/rendezvous_server.h"
#include "engine/network/collectives/rank_group.h"

namespace quintet::engine {
namespace {

constexpr const char* token = "a token that only this test knows";

int complain(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  return 1;
}

int run(char** words) {
  const int rank = std::atoi(words[1]), world = std::atoi(words[2]);
  const Result<SocketAddress> address = parse_address(words[3]);
  if (!address) return complain(address.error().text());
  std::unique_ptr<RendezvousServer> server;
  if (rank == 0) {
    RendezvousOptions options;
    options.address = *address;
    options.token = token;
    options.world = world;
    auto started = RendezvousServer::start(options);
    if (!started) return complain(started.error().text());
    server = *std::move(started);
  }
  TransportOptions options;
  options.ucx = {words[4], SharedMemory::use};
  options.join.server = *address;
  options.join.token = token;
  options.join.rank = Rank{rank};
  options.join.world = world;
  const auto transport = Transport::join(options);
  if (!transport) return complain(transport.error().text());
  GroupOptions everyone;
  everyone.name = "everyone";
  for (int member = 0; member < world; ++member) everyone.members.push_back(Rank{member});
  const auto group = RankGroup::make(**transport, everyone);
  if (!group) return complain(group.error().text());
  std::vector<float> buffer(static_cast<std::size_t>(std::atoll(words[5])), 1.0f);
  double seconds = 0;
  for (int round = 0; round < 2; ++round) {
    const auto start = Clock::now();
    Result<Operation> sum = (*group)->start({.buffer = std::as_writable_bytes(std::span(buffer))});
    if (!sum) return complain(sum.error().text());
    if (const auto failure = sum->wait()) return complain(failure->text());
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  std::printf("%.6f\n", seconds);
  return (*transport)->close(Milliseconds(5000)) ? 1 : 0;
}

}  // namespace
}  // namespace quintet::engine

int main(int count, char** words) {
  return count == 6 ? quintet::engine::run(words) : 2;
}
