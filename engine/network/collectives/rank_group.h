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

#include "engine/network/collectives/element_sum.h"
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

// The buffers belong to the group until the operation has ended. Sizes are nccl-tests' (the whole
// buffer): reduce_scatter takes all shares and leaves its sum in this member's (part_of; what is
// left elsewhere is undefined); all_gather takes this member's share at its place. reduce leaves
// partial sums on all but the root.
struct CollectiveCall {
  CollectiveKind kind = CollectiveKind::all_reduce;
  Algorithm algorithm = Algorithm::ring;
  DataType type = DataType::fp32;  // sums: fp32, bf16, fp16
  Reduction reduction = Reduction::sum;
  int root = 0;  // position in the group, of broadcast and reduce
  std::span<std::byte> buffer;
  std::span<std::byte> received;  // of all_to_all alone: part i comes from member i
  Milliseconds within{60000};
  // Calls of a group that are under way at once on any of its members differ modulo 4,096. None:
  // counted, so that all members start their calls in one order. Either all calls give one or none.
  std::optional<std::uint64_t> number;
};

struct CollectiveRun;

class RankGroup {
 public:
  // The transport and the group must outlive the operations; one thread uses a group.
  static Result<std::unique_ptr<RankGroup>> make(Transport& transport, const GroupOptions& options);

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
  CollectiveRun run_of(const CollectiveCall& call, const Messages& messages, std::uint64_t number);

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
