#include "sim/intra_inter/decompose.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

IntraInter hierarchical(Axis axis) {
  IntraInter intra_inter;
  intra_inter.decompositions = {{axis, Decomposition::hierarchical}};
  return intra_inter;
}

Instruction collective(std::string name, CollectiveKind kind, int communicator, double bytes,
                       std::vector<int> after = {}) {
  return {std::move(name), LaneId{1},
          Collective{kind, CommunicatorId{communicator}, Bytes{bytes}, DataType::bf16},
          std::move(after)};
}

// Two tensor ranks inside eight data-parallel ones; hosts of eight ranks hold four of those.
Program program_of(std::vector<Instruction> instructions) {
  Program program;
  program.grid.axes = {{Axis::tensor, 2}, {Axis::data, 8}};
  program.lanes = {{LaneKind::compute, "compute"}, {LaneKind::communication, "wire"}};
  program.communicators = {{"tensor", {{Axis::tensor}}, {}}, {"data", {{Axis::data}}, {}}};
  program.bodies = {{"body", std::move(instructions)}};
  Call call;
  call.body = BodyId{0};
  program.roles = {{"stage 0", 0, {{call}}}};
  return program;
}

const Instruction kernel{"kernel", LaneId{0}, Compute{}, {}};

// An all-reduce of 64 bytes: 64 scattered inside, a quarter of it summed across, gathered inside.
// Instructions behind it keep what they wait for.
TEST(Decompose, PutsPhasesInTheCollectivesPlace) {
  Instruction last = kernel;
  last.after = {1, 0};
  Program expected = program_of({kernel});
  expected.communicators.push_back(
      {"data inside hosts", {{Axis::data, 4, 1}}, {}, HostLevel::inside, CommunicatorId{3}});
  expected.communicators.push_back(
      {"data across hosts", {{Axis::data, 2, 4}}, {}, HostLevel::across, CommunicatorId{2}});
  Instruction moved = kernel;
  moved.after = {3, 0};
  expected.bodies[0].instructions = {
      kernel,
      collective("sum: reduce-scatter inside hosts", CollectiveKind::reduce_scatter, 2, 64, {0}),
      collective("sum: all-reduce across hosts", CollectiveKind::all_reduce, 3, 16, {1}),
      collective("sum: all-gather inside hosts", CollectiveKind::all_gather, 2, 64, {2}), moved};
  EXPECT_EQ(expected,
            decompose(program_of({kernel, collective("sum", CollectiveKind::all_reduce, 1, 64, {0}),
                                  last}),
                      hierarchical(Axis::data), 8));
  EXPECT_EQ(std::vector<std::string>{}, faults(expected));
}

TEST(Decompose, CutsScattersAndGathers) {
  const Program cut =
      decompose(program_of({collective("scatter", CollectiveKind::reduce_scatter, 1, 64),
                            collective("gather", CollectiveKind::all_gather, 1, 64, {0})}),
                hierarchical(Axis::data), 8);
  EXPECT_EQ(
      (std::vector<Instruction>{
          collective("scatter: reduce-scatter inside hosts", CollectiveKind::reduce_scatter, 2, 64),
          collective("scatter: reduce-scatter across hosts", CollectiveKind::reduce_scatter, 3, 16,
                     {0}),
          collective("gather: all-gather across hosts", CollectiveKind::all_gather, 3, 16, {1}),
          collective("gather: all-gather inside hosts", CollectiveKind::all_gather, 2, 64, {2})}),
      cut.bodies[0].instructions);
}

bool stays(const Program& program, const IntraInter& intra_inter, int ranks_per_host) {
  return decompose(program, intra_inter, ranks_per_host) == program;
}

TEST(Decompose, LeavesGroupsThatDoNotFillHostsEvenly) {
  const Program data = program_of({collective("sum", CollectiveKind::all_reduce, 1, 64)});
  EXPECT_FALSE(stays(data, hierarchical(Axis::data), 8));
  EXPECT_TRUE(stays(data, IntraInter{}, 8));                // flat is asked for
  EXPECT_TRUE(stays(data, hierarchical(Axis::tensor), 8));  // tensor groups lie inside a host
  EXPECT_TRUE(stays(data, hierarchical(Axis::data), 16));   // all in one host
  EXPECT_TRUE(stays(data, hierarchical(Axis::data), 2));    // one rank a host
  EXPECT_TRUE(stays(data, hierarchical(Axis::data), 1));    // neighbours are on different hosts
  EXPECT_TRUE(stays(data, hierarchical(Axis::data), 6));    // 3 a host: 8 do not divide
}

// Three tensor ranks: a host of eight holds data ranks 0, 1 and two thirds of 2. Cutting in twos
// would put ranks of two hosts in a group "inside".
TEST(Decompose, LeavesGroupsWhoseMembersFallUnevenlyOnHosts) {
  Program program = program_of({collective("sum", CollectiveKind::all_reduce, 1, 64)});
  program.grid.axes = {{Axis::tensor, 3}, {Axis::data, 8}};
  EXPECT_TRUE(stays(program, hierarchical(Axis::data), 8));
}

// Shards of four neighbours fill half a host's places each; their replicas leave it: nothing to
// cut in the shards, and the replicas (two per host) are cut in two.
TEST(Decompose, CutsReplicasOfShardingGroups) {
  Program program = program_of({collective("scatter", CollectiveKind::reduce_scatter, 0, 64),
                                collective("sum", CollectiveKind::all_reduce, 1, 64, {0})});
  program.grid.axes = {{Axis::data, 16}};
  program.communicators = {{"shards", {{Axis::data, 4, 1}}, {}},
                           {"replicas", {{Axis::data, 4, 4}}, {}}};
  const Program cut = decompose(program, hierarchical(Axis::data), 8);
  EXPECT_EQ(
      (std::vector<Communicator>{
          {"shards", {{Axis::data, 4, 1}}, {}},
          {"replicas", {{Axis::data, 4, 4}}, {}},
          {"replicas inside hosts", {{Axis::data, 2, 4}}, {}, HostLevel::inside, CommunicatorId{3}},
          {"replicas across hosts",
           {{Axis::data, 2, 8}},
           {},
           HostLevel::across,
           CommunicatorId{2}}}),
      cut.communicators);
  EXPECT_EQ(4U, cut.bodies[0].instructions.size());
  EXPECT_EQ(program.bodies[0].instructions[0], cut.bodies[0].instructions[0]);
}

// A rank receives (n-1)/n of a scatter's or gather's buffer, twice that of an all-reduce's
// (nccl-tests): phases together move what the flat collective moved.
double received(const Collective& collective, int ranks) {
  const double once = collective.size.value * (ranks - 1) / ranks;
  return collective.kind == CollectiveKind::all_reduce ? 2 * once : once;
}

TEST(Decompose, ConservesTheBytesEachRankReceives) {
  for (const CollectiveKind kind :
       {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter, CollectiveKind::all_gather}) {
    const Program flat = program_of({collective("sum", kind, 1, 64)});
    double sum = 0;
    const Program cut = decompose(flat, hierarchical(Axis::data), 8);
    for (const Instruction& phase : cut.bodies[0].instructions) {
      const auto& part = std::get<Collective>(phase.action);
      sum += received(part, part.communicator == CommunicatorId{2} ? 4 : 2);
    }
    EXPECT_DOUBLE_EQ(received(std::get<Collective>(flat.bodies[0].instructions[0].action), 8), sum)
        << name_of(kind);
  }
}

}  // namespace
}  // namespace quintet
