#include "calibrate/measure_messages.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <vector>

#include "engine/box/box.h"
#include "engine/launch/rendezvous_place.h"
#include "sim/network/route.h"

namespace quintet::calibrate {
namespace {

constexpr int port = 4777;  // of a network of our own

std::string random_token() {
  std::random_device random;
  std::string token;
  for (int word = 0; word < 8; ++word) {
    std::array<char, 9> text{};
    std::snprintf(text.data(), text.size(), "%08x", random());
    token += text.data();
  }
  return token;
}

engine::ProcessStart start_of(const std::string& program, const engine::Box& box, int rank,
                              int ranks, const std::string& token) {
  const std::string server = box.place(Rank{0}).address + ":" + std::to_string(port);
  engine::ProcessStart start;
  start.arguments = {program,
                     ring_rank_word,
                     std::to_string(rank),
                     std::to_string(ranks),
                     server,
                     box.place(Rank{rank}).interface};
  start.environment = {std::string(engine::token_variable) + "=" + token};
  return start;
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 512> buffer{};
  for (;;) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

std::optional<Error> wait_for(const std::vector<pid_t>& processes) {
  std::optional<Error> wrong;
  for (std::size_t rank = 0; rank < processes.size(); ++rank) {
    int status = 0;
    waitpid(processes[rank], &status, 0);
    if (status != 0 && !wrong)
      wrong = Error{"timing messages", "rank " + std::to_string(rank) + " failed"};
  }
  return wrong;
}

}  // namespace

Result<RingTimings> measure_messages(const Topology& topology, const Network& network, int ranks,
                                     const std::string& program) {
  std::vector<DeviceId> slots = rank_slots(topology);
  slots.resize(std::min(slots.size(), static_cast<std::size_t>(ranks)));
  engine::BoxOptions options;
  options.network = network;
  const auto box = engine::Box::make(topology, slots, options);
  if (!box) return box.error();
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) return Error{"timing messages", "no pipe can be made"};
  const std::string token = random_token();
  std::vector<pid_t> processes;
  std::optional<Error> wrong;
  for (int rank = 0; rank < static_cast<int>(slots.size()) && !wrong; ++rank) {
    engine::ProcessStart start =
        start_of(program, **box, rank, static_cast<int>(slots.size()), token);
    if (rank == 0) start.output = pipe_ends[1];
    const Result<pid_t> started = (*box)->start(Rank{rank}, start);
    if (started)
      processes.push_back(*started);
    else
      wrong = started.error();
  }
  close(pipe_ends[1]);
  const std::string said = wrong ? "" : read_all(pipe_ends[0]);
  close(pipe_ends[0]);
  if (wrong) return *wrong;
  if (const auto failed = wait_for(processes)) return *failed;
  return parse_timings(said);
}

Bandwidth wire_rate(const Topology& topology, const Network& network) {
  Bandwidth slowest{std::numeric_limits<double>::infinity()};
  for (const Link& link : topology.links)
    if (link.kind == LinkKind::network) slowest = std::min(slowest, link.bandwidth);
  return slowest * framing_efficiency(topology.protocol, network.mtu);
}

}  // namespace quintet::calibrate
