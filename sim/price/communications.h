// Every communication of a program on a machine: what it loads, how fast it may go alone, what it
// takes from kernels. Joins the consequences of four layers: ccl (algorithm), intra_inter (who is
// where), host_net (path), network (route).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/units.h"
#include "sim/cost/cost_table.h"
#include "sim/network/link_load.h"
#include "sim/plan/plan.h"
#include "sim/program/program.h"
#include "sim/topology/topology.h"

namespace quintet {

// One communication of one group or pair, ready for the fabric.
struct CommunicationPrice {
  Seconds latency;       // before data moves, of all steps of its phases; the lane is held
  Seconds crowded;       // more latency of a step while kernels have taken all cores
  ArrivalSpread spread;  // where ranks are more than their cores
  Seconds held;          // before all that its sender holds it back (HeldSend, sim/topology)
  Seconds flight;        // after it has left: propagation, during which the lane is free
  Bandwidth bound;       // of size / time without other traffic: what algorithm and protocol reach
  double busy_sms = 0;   // it holds on each GPU while it runs
  double memory_share = 0;  // of HBM bandwidth it draws on each GPU while it runs alone
  CommunicationClass moves = CommunicationClass::copying;
  std::vector<PhaseLoad> phases;  // what it puts on links, exact multiples of 2^-34
  std::int32_t detail = 0;        // index into Communications::details

  bool operator==(const CommunicationPrice&) const = default;
};

// Collectives of one communicator that differ in kind, size or type only.
struct CollectivePattern {
  Collective collective;
  bool operator==(const CollectivePattern&) const = default;
};

// Messages that differ only in sender, micro-batch and chunk.
struct MessagePattern {
  Axis axis = Axis::pipeline;
  int offset = 1;
  Bytes size;
  Memory memory = Memory::device;
  bool operator==(const MessagePattern&) const = default;
};

// What measured curves (sim/cost/collective_curve.h) said of a program's communications, and NCCL's
// formula beside them.
struct CurveUse {
  Axis axis = Axis::data;
  Residuals inside;     // of what was measured
  Residuals residuals;  // the same, further where a size lies outside (collective_curve.h)
  Seconds time;         // that one takes alone: its weight among others
  bool operator==(const CurveUse&) const = default;
};
// What priced the communications of an axis, inside hosts or between them.
struct MoveBasis {
  Axis axis = Axis::data;
  bool between_hosts = false;
  Evidence evidence = Evidence::guessed;
  Seconds time;  // that all of them take alone, one of each pattern: their weight among others
  bool operator==(const MoveBasis&) const = default;
};
struct MeasuredMoves {
  std::vector<CurveUse> used;  // each once
  // What a table's curves do not cover, each once: "all_reduce by ring among 4 ranks on 4 hosts:
  // 64 MB, measured from 256 B to 16 MB".
  std::vector<std::string> outside;
  std::vector<MoveBasis> bases;
};

// Per rank: its copies to the host's memory and from it. Empty where the program has none, and
// where ranks have no GPUs: their threads copy themselves.
struct CopyPrices {
  std::vector<CommunicationPrice> out, in;
};

// How ranks compute: by whose costs, at which share of their speed (Topology::slot_speeds), on
// which samples of each micro-batch (Program::dealt).
struct ComputeKind {
  const CostTable* costs = nullptr;  // the caller's
  double speed = 1;
  std::vector<SampleWork> samples{};  // empty: as operators' shapes say
  bool operator==(const ComputeKind&) const = default;
};
struct ComputeKinds {
  std::vector<ComputeKind> kinds;
  std::vector<std::int32_t> of_rank;  // index into kinds; empty: all are of the first
};

struct Communications {
  // patterns[communicator]: distinct collectives; groups[communicator]: their members;
  // collectives[communicator][pattern][group]: what they cost.
  std::vector<std::vector<CollectivePattern>> patterns;
  std::vector<std::vector<std::vector<Rank>>> groups;
  std::vector<std::vector<std::vector<CommunicationPrice>>> collectives;

  std::vector<MessagePattern> message_patterns;
  std::vector<std::vector<CommunicationPrice>> messages;  // [pattern][sender rank]
  std::vector<std::vector<Rank>> receivers;               // [pattern][sender rank]

  // Per rank: what its kernels load of the cores it shares. Empty where ranks share none.
  std::vector<CommunicationPrice> kernels;

  CopyPrices copies;
  ComputeKinds computing;
  std::vector<LinkShare> links;  // the topology's, at payload rate, then processors.h's
  // Per link: those of different numbers are no one, though they may carry alike now: they will
  // not later in the step. Empty: all are alike in that.
  std::vector<std::int32_t> futures;
  std::vector<std::string> details;  // "ring LL128, 24 channels"
  MeasuredMoves measured;
};

class KnownWays;

// The program is compiled for the plan, and the machine has a slot for each of its ranks; it has
// nothing recorded (Collective::recorded), which traces/replay prices. `known`:
// ways that others have found, and will; null, or of another topology: they are found anew.
Communications communications(const Program& program, const Plan& plan, const Topology& topology,
                              const CostTable& costs, KnownWays* known = nullptr);

// Position of a collective or message among the patterns; -1: not there, or neither of them.
std::int32_t pattern_of(const Communications& communications, const Collective& collective);
std::int32_t pattern_of(const Communications& communications, const Send& send);
std::int32_t pattern_of(const Communications& communications, const Instruction& instruction);

}  // namespace quintet
