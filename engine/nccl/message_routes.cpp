#include "engine/nccl/message_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

// What tells two messages of a route apart.
struct Content {
  int micro_batch = 0, chunk = 0;
  bool operator==(const Content&) const = default;
};

using Order = std::map<MessageRoute, std::vector<Content>>;
enum class Side { sent, received };

template <class Visit>
void for_each_message(const Program& program, Rank rank, const Visit& visit) {
  const Role& role = program.roles[role_of(program.grid, rank).index()];
  for (const Call& call : role.script.calls)
    for (int iteration = 0; iteration < call.layers; ++iteration)
      for (const Instruction& instruction : program.bodies[call.body.index()].instructions) {
        if (const auto* const send = std::get_if<Send>(&instruction.action)) {
          const Rank to = neighbour(program.grid, rank, send->axis, send->offset);
          if (send->memory == Memory::device)
            visit(Side::sent, MessageRoute{send->payload, rank, to},
                  Content{call.micro_batch, send->chunk});
        }
        if (const auto* const receive = std::get_if<Receive>(&instruction.action)) {
          const Rank from = neighbour(program.grid, rank, receive->axis, receive->offset);
          if (receive->memory == Memory::device)
            visit(Side::received, MessageRoute{receive->payload, from, rank},
                  Content{call.micro_batch, receive->chunk});
        }
      }
}

std::string text_of(const std::vector<Content>& contents, std::size_t place) {
  if (place >= contents.size()) return "nothing";
  return fmt::format("micro-batch {} of chunk {}", contents[place].micro_batch,
                     contents[place].chunk);
}

}  // namespace

std::string text_of(const MessageRoute& route) {
  const bool activation = route.payload == Payload::activation;
  return fmt::format("{} from rank {} to rank {}", activation ? "activation" : "gradient",
                     route.from.value, route.to.value);
}

std::vector<MessageRoute> routes_of(const Program& program, Rank rank) {
  std::set<MessageRoute> routes;
  for_each_message(program, rank,
                   [&](Side, const MessageRoute& route, const Content&) { routes.insert(route); });
  return {routes.begin(), routes.end()};
}

std::optional<Error> order_problem(const Program& program) {
  Order sent, received;
  for (int value = 0; value < world_size(program.grid); ++value)
    for_each_message(program, Rank{value},
                     [&](Side side, const MessageRoute& route, const Content& content) {
                       (side == Side::sent ? sent : received)[route].push_back(content);
                     });
  for (const auto& [route, contents] : received) sent[route];
  for (const auto& [route, contents] : sent) {
    const std::vector<Content>& taken = received[route];
    const auto [left, right] =
        std::mismatch(contents.begin(), contents.end(), taken.begin(), taken.end());
    if (left == contents.end() && right == taken.end()) continue;
    const auto place = static_cast<std::size_t>(left - contents.begin());
    return Error{text_of(route),
                 fmt::format("message {} is sent as {} and received as {}; NCCL needs one order",
                             place, text_of(contents, place), text_of(taken, place))};
  }
  return std::nullopt;
}

}  // namespace quintet::engine
