// One training step as instructions: what every rank does, executed alike by the simulator and the
// engine.
//
//   Program -> one Script per role -> Calls of Bodies -> Instructions on lanes
//
// Order and dependency, the whole rule:
//   1. Instructions of one lane of one rank run one after another, in script order.
//   2. An instruction starts after the instructions of its own body that its `after` lists have
//      finished (same iteration).
//   3. A call starts after every instruction of the calls that its `after` lists has finished, on
//      every lane; each of its iterations after every instruction of the one before.
//   4. Across ranks only matching instructions depend on each other: a Collective on all members of
//      its communicator (n-th use by each), a Receive on the Send with the same tag.
// Nothing else orders anything: compute goes on under communication unless a dependency says
// otherwise.
//
// Repetition is kept: a call runs its body `layers` times, so a program is as small for 126 layers
// as for one. Instructions name axes, not ranks, so it is as small for 100,000 ranks as for 8.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sim/base/data_type.h"
#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/model/operator.h"
#include "sim/plan/ccl.h"
#include "sim/plan/parallelism.h"
#include "sim/samples/sample_work.h"

namespace quintet {

struct AxisSize {
  Axis axis = Axis::data;
  int size = 1;
  bool operator==(const AxisSize&) const = default;
};

// Gives every rank its coordinates: rank = c0 + s0 (c1 + s1 (c2 + ...)), innermost axis first.
struct Grid {
  std::vector<AxisSize> axes;
  bool operator==(const Grid&) const = default;
};

// Ranks that differ only in `size` steps of `stride` along one axis; size 0: the whole axis. With
// stride, an axis splits into a sharding group (stride 1) and replicas (stride = group size): HSDP,
// FlexDeMo.
struct AxisPart {
  Axis axis = Axis::data;
  int size = 0;
  int stride = 1;
  bool operator==(const AxisPart&) const = default;
};

// Whether collectives over a communicator are whole, or the phases inside and across hosts that one
// was cut into (sim/intra_inter/decompose.h).
enum class HostLevel { whole, inside, across };

// Who takes part in a collective: ranks that differ only along these parts. `stages` keeps only
// some coordinates of the pipeline axis (first and last for tied embeddings).
struct Communicator {
  std::string name;  // "tensor", "data", "embedding"
  std::vector<AxisPart> parts;
  std::vector<int> stages;
  HostLevel level = HostLevel::whole;
  CommunicatorId other_level{};  // of the phases beside this level's; none: whole
  bool operator==(const Communicator&) const = default;
};

enum class LaneKind { compute, communication, copy, host };
struct LaneInfo {
  LaneKind kind = LaneKind::compute;
  std::string name;  // "compute", "tensor", "gradients", "send forward"
  bool operator==(const LaneInfo&) const = default;
};

// What moves between stages, and back.
enum class Payload { activation, activation_gradient };

// Where a message lies: in the GPU's memory, or in the host's, where a Copy has put it or takes it
// from (delegates of PipeMorph, arXiv 2504.19232). The way it goes from there is HostNet's
// decision.
enum class Memory { device, host };

struct Compute {
  Operator work;
  bool operator==(const Compute&) const = default;
};

// What a collective is for: which buffer of the rank it works on.
enum class Purpose {
  gather_input,        // the block's input, from the ranks' parts of the sequence
  reduce_output,       // the block's partial outputs
  gather_gradient,     // backward of reduce_output
  gather_input_again,  // for the weight gradient
  reduce_gradient,     // backward of gather_input
  loss_maximum,        // vocabulary split over ranks
  loss_sum,
  loss_target,
  sum_gradients,       // a bucket, over replicas
  sum_between_shards,  // a share of a bucket, between sharding groups
  gather_weights,
  sum_norm_gradients,  // of tensors that every tensor rank holds
  sum_tied_embedding,
  sum_gradient_norm,
  sum_tensor_norms,   // of each tensor and its step, from the ranks that hold parts (LAMB)
  exchange_replicas,  // what a replicator sends between sharding groups, or its sum
  exchange_samples,   // before the step: every rank has those of all, and takes its own
  exchange,           // of no stated purpose: what is priced alone
};

struct Collective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  CommunicatorId communicator;
  Bytes size;  // nccl-tests' convention: the full buffer of one rank (gathered size, input of a
               // scatter)
  DataType type = DataType::bf16;
  Purpose purpose = Purpose::exchange;
  // Of a recording's collectives, each of which took its own time: its place among the patterns of
  // its communicator (sim/price/communications.h); -1: it takes what its pattern takes.
  std::int32_t recorded = -1;
  bool operator==(const Collective&) const = default;
};

// To the rank `offset` further along `axis`, cyclically. Matches the Receive with the same axis,
// the offset back, and the same payload, micro-batch (of the call) and chunk; a step has one of
// each.
struct Send {
  Axis axis = Axis::pipeline;
  int offset = 1;
  Bytes size;
  Payload payload = Payload::activation;
  int chunk = 0;  // virtual stage of the receiver
  Memory memory = Memory::device;
  std::int32_t recorded = -1;  // likewise, its place among the patterns of messages
  bool operator==(const Send&) const = default;
};

struct Receive {
  Axis axis = Axis::pipeline;
  int offset = -1;
  Bytes size;
  Payload payload = Payload::activation;
  int chunk = 0;  // virtual stage of this rank
  Memory memory = Memory::device;
  bool operator==(const Receive&) const = default;
};

// What a copy between the GPU's memory and the host's is for: which buffer of the rank it moves.
enum class CopyPurpose {
  message,           // of a delegate
  keep_input,        // a layer's input, until its backward
  fetch_input,       // of the call's layer
  fetch_next_input,  // of the layer whose backward comes next, under this layer's
  // A piece of the optimizer's state: a rank's own elements are cut into as many equal pieces as
  // its script has such calls, in the order of Call::bucket.
  fetch_state,
  store_state,
};

struct Copy {
  CopyDirection direction = CopyDirection::device_to_host;
  Bytes size;
  CopyPurpose purpose = CopyPurpose::message;
  bool operator==(const Copy&) const = default;
};

// The first three are done by the process that launches the kernels: it launches none meanwhile.
// Delegates are processes of their own.
enum class HostWorkKind { data_loading, synchronise, checkpoint, delegate_send, delegate_receive };
struct HostWork {
  HostWorkKind kind = HostWorkKind::synchronise;
  Bytes size;
  bool operator==(const HostWork&) const = default;
};

// What took so long in a recording that is replayed (traces/replay), whatever it was: a kernel, a
// copy, a thread's work, a pause that nothing explains. A rank does several at once, on as many
// lanes. Nobody can execute it.
struct Recorded {
  Duration time;
  bool operator==(const Recorded&) const = default;
};

using Action = std::variant<Compute, Collective, Send, Receive, Copy, HostWork, Recorded>;

// The part of the model an instruction is about: tells a layer's first norm from its second.
enum class Block { none, embedding, attention, mlp, head };

struct Instruction {
  std::string
      name;  // "qkv forward", "all-reduce attention": the same in predicted and measured timelines
  LaneId lane;
  Action action;
  std::vector<int> after;  // indices of earlier instructions in this body
  Block block = Block::none;

  bool operator==(const Instruction&) const = default;
};

// The buffer of a collective or message; nothing for others.
inline Bytes communicated(const Instruction& instruction) {
  if (const auto* collective = std::get_if<Collective>(&instruction.action))
    return collective->size;
  if (const auto* send = std::get_if<Send>(&instruction.action)) return send->size;
  if (const auto* receive = std::get_if<Receive>(&instruction.action)) return receive->size;
  return {};
}

// What a body is about: a part of the model in one of its passes, or parameters on their way.
enum class BodyKind {
  other,  // messages, the update and what it waits for, profiles
  embedding,
  layer,
  head,
  prepare_gradients,  // scaled or clipped before they leave
  keep_gradients,     // a micro-batch's, clipped and added to those before it, which leave later
  sum_gradients,      // over the data axis
  gather_weights,
};

// A piece that repeats: one layer's forward, the head with its loss, one bucket's chain, the
// update.
struct Body {
  std::string name;
  std::vector<Instruction> instructions;
  BodyKind kind = BodyKind::other;
  Phase phase = Phase::update;  // of the model's part; `backward`: B and W
  // What a layer's backward computes once more: forward need not keep it.
  RecomputedPart recomputed = RecomputedPart::nothing;
  bool operator==(const Body&) const = default;
};

// A rank's parameters count in the order in which backward completes their gradients: chunk by
// chunk, of each the head, the layers from the last to the first, the embedding.
struct ElementRange {
  std::int64_t begin = 0, end = 0;
  std::int64_t count() const { return end - begin; }
  bool operator==(const ElementRange&) const = default;
};

// Runs `body` `layers` times, for layers first_layer, first_layer + layer_step, ... (backward:
// layer_step -1).
struct Call {
  BodyId body;
  int layers = 1;
  int first_layer = -1;  // -1: not about a layer
  int layer_step = 1;
  int micro_batch = -1;  // -1: not about a micro-batch
  int chunk = 0;         // virtual stage
  int bucket = -1;
  std::vector<int> after;  // indices of earlier calls of this script
  // Parameters that it prepares, sums or gathers, ascending; of several iterations each takes an
  // equal part of the one range, in order.
  std::vector<ElementRange> elements{};
  // It is in the last only of so many steps, counted from the first of training; in the others it
  // is over as soon as it may begin. A prediction is of a step that has all calls.
  int every = 1;

  bool operator==(const Call&) const = default;
};

// -1: not about a layer.
inline int layer_of(const Call& call, int iteration) {
  return call.first_layer < 0 ? -1 : call.first_layer + iteration * call.layer_step;
}

inline std::vector<ElementRange> elements_of(const Call& call, int iteration) {
  if (call.elements.size() != 1) return call.elements;
  const std::int64_t part = call.elements.front().count() / call.layers;
  const std::int64_t begin = call.elements.front().begin + iteration * part;
  return {{begin, begin + part}};
}

struct Script {
  std::vector<Call> calls;
  bool operator==(const Script&) const = default;
};

// Ranks that walk the same script: all with this pipeline coordinate (and, later, other
// coordinates).
struct Role {
  std::string name;  // "stage 3"
  int stage = 0;
  Script script;
  bool operator==(const Role&) const = default;
};

struct Program {
  Grid grid;
  std::vector<LaneInfo> lanes;
  std::vector<Communicator> communicators;
  std::vector<Body> bodies;
  std::vector<Role> roles;  // role of a rank = its pipeline coordinate
  // Samples of unequal length: what predictions take each rank to have. Operators of the model's
  // bodies have the shapes of `dealt.padded`; on a rank they are as large as its samples
  // (sim/model/operator_rows.h). Empty: as the shapes say.
  DealtSamples dealt{};
  bool operator==(const Program&) const = default;
};

// The readable form that `quintet simulate --print-program` prints and tests compare.
std::string program_text(const Program& program);

// A broken promise of the rules above (an `after` that points forward, a Send no Receive matches,
// ...), or nothing.
std::vector<std::string> faults(const Program& program);

}  // namespace quintet
