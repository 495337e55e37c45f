// Ranks that run collectives together, in the background and several at once. The members' calls
// with one number meet, whatever the order in which each member starts its calls.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/network/collectives/chosen_schedule.h"
#include "engine/network/collectives/collective_call.h"
#include "engine/network/collectives/messages.h"
#include "engine/network/collectives/segment_pool.h"
#include "engine/network/transport/transport.h"
#include "sim/program/program.h"

namespace quintet::engine {

struct GroupOptions {
  std::uint32_t id = 0;  // below 4,096; differs between groups that share two ranks
  std::string name;      // "data": for failures
  std::vector<Rank> members;
  std::vector<int> levels;  // sizes inside out, product: the members; empty: all on one level
  std::size_t segment = 128 * 1024;  // bytes that travel at once; a multiple of 4
  // Positions in the order of `levels` (host by host); empty: as `members` names them.
  std::vector<int> order;
};

struct OnWire;

class RankGroup {
 public:
  // The transport and the group must outlive the operations; one thread uses a group.
  static Result<std::unique_ptr<RankGroup>> make(Transport& transport, const GroupOptions& options);

  // The buffers belong to the group until the operation has ended. Sums are of fp32, bf16, fp16.
  // Uses of calls that are under way at once on any of the members differ modulo 4,096.
  Result<Operation> start(const CollectiveCall& call);

  int size() const { return static_cast<int>(options_.members.size()); }
  int position() const { return position_; }
  const std::vector<Rank>& members() const { return options_.members; }

 private:
  struct Shape {
    CollectiveKind kind;
    Algorithm algorithm;
    std::size_t elements, element_size;
    int position;  // in the schedule, whose root is 0
    auto operator<=>(const Shape&) const = default;
  };
  RankGroup(Transport& transport, const GroupOptions& options, int position);

  std::optional<Error> problem(const CollectiveCall& call) const;
  Result<const Messages*> messages_for(const Shape& shape);
  int pieces_for(const Shape& shape) const;
  OnWire on_wire(const CollectiveCall& call, const Messages& messages, std::uint64_t use) const;

  Transport& transport_;
  GroupOptions options_;
  int position_;
  std::uint64_t started_ = 0;
  std::set<std::uint32_t> under_way_;  // numbers
  SegmentPool pool_;
  std::map<Shape, Messages> messages_;  // a training step repeats its collectives
};

// The groups that this rank is in, by the program's communicators; null where it is in none.
Result<std::vector<std::unique_ptr<RankGroup>>> groups_of(const Program& program,
                                                          Transport& transport);

}  // namespace quintet::engine
