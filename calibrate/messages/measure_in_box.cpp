#include "calibrate/messages/measure_in_box.h"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <vector>

#include "engine/box/box.h"
#include "engine/launch/rendezvous_place.h"

namespace quintet::calibrate {
namespace {

constexpr std::uint16_t port = 4777;  // of a network of our own

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

std::optional<Error> measure_in_box(const Topology& topology, const Network& network, int ranks,
                                    const MessageRequest& request, const std::string& program) {
  std::vector<DeviceId> slots = rank_slots(topology);
  slots.resize(std::min(slots.size(), static_cast<std::size_t>(ranks)));
  engine::BoxOptions options;
  options.network = network;
  const auto box = engine::Box::make(topology, slots, options);
  if (!box) return box.error();
  const std::string token = random_token();
  std::vector<pid_t> processes;
  std::optional<Error> wrong;
  for (std::size_t slot = 0; slot < slots.size() && !wrong; ++slot) {
    const Rank rank{static_cast<std::int32_t>(slot)};
    BoxedRank boxed;
    boxed.rank = rank.value;
    boxed.ranks = static_cast<int>(slots.size());
    boxed.host = topology.device(slots[slot]).host.value;
    boxed.server.host = (*box)->place(Rank{0}).address;
    boxed.server.port = port;
    boxed.interface = (*box)->place(rank).interface;
    boxed.request = request;
    engine::ProcessStart start;
    start.arguments = words_of(boxed);
    start.arguments.insert(start.arguments.begin(), program);
    start.environment = {std::string(engine::token_variable) + "=" + token};
    const Result<pid_t> started = (*box)->start(rank, start);
    if (started)
      processes.push_back(*started);
    else
      wrong = started.error();
  }
  if (wrong) return wrong;  // the box ends those that were started
  return wait_for(processes);
}

}  // namespace quintet::calibrate
