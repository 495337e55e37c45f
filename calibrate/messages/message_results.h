// What timings among ranks say, as a cost table has it. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/messages/message_sampling.h"
#include "sim/cost/cost_table.h"

namespace quintet::calibrate {

struct MessageWorld {
  std::vector<RankSeat> seats;
  std::vector<Method> methods;
  std::string at;      // TimingRecord::at
  std::string source;  // where, when and how, for the table
  // Between the hosts of these ranks; nothing where they are on one.
  std::function<std::optional<CurveNetwork>(const Members&)> network;
  MessageSizes sizes{};
};

// Curves of three sizes or more, messages, pairs, overlap, clocks and jitter go into the table;
// what they leave out becomes sentences in its `not_measured`.
void add_message_results(const MessageWorld& world, const std::vector<TimingRecord>& timings,
                         CostTable& table);

}  // namespace quintet::calibrate
