#include "tests/support/small_program.h"

namespace quintet {
namespace {

TEST(ProgramText, SaysAllOfASmallProgram) {
  EXPECT_EQ(
      "grid data=2 pipeline=2 (innermost first), 4 ranks\n"
      "communicator \"data\" 2 ranks: data\n"
      "communicator \"ends\" 2 ranks: pipeline stages 0,1\n"
      "body \"work\"\n"
      "  0 compute: mlp_up forward: mlp_up forward [4x8x16]\n"
      "body \"send\"\n"
      "  0 wire: send activation: send to pipeline +1 [64 B]\n"
      "body \"receive\"\n"
      "  0 wire: receive activation: receive from pipeline -1 [64 B]\n"
      "body \"exchange\"\n"
      "  0 compute: norm: mlp_up forward [4x8x16]\n"
      "  1 wire: all-reduce: all-reduce over data [128 B] after 0\n"
      "role \"stage 0\"\n"
      "  0 work m0 layer 0..2\n"
      "  1 send m0 after 0\n"
      "  2 exchange m0 bucket 1 after 0\n"
      "role \"stage 1\"\n"
      "  0 receive m0\n"
      "  1 work m0 after 0\n"
      "  2 exchange m0 after 1\n",
      program_text(test::small_program()));
}

// Every other kind of shape and action.
TEST(ProgramText, NamesEveryKindOfWork) {
  Program program;
  program.grid.axes = {{Axis::data, 8}};
  program.lanes = {{LaneKind::compute, "compute"},
                   {LaneKind::copy, "copy"},
                   {LaneKind::host, "host"},
                   {LaneKind::communication, "wire"}};
  program.communicators = {{"replicas", {{Axis::data, 2, 4}}, {}}};
  AttentionShape attention;
  attention.sequences = 1;
  attention.heads = 8;
  attention.kv_heads = 2;
  attention.query_length = 16;
  attention.key_length = 32;
  attention.head_dim = 64;
  const auto compute = [](Computation which, Phase phase, OperatorShape shape) {
    return Compute{{which, phase, DataType::bf16, shape, 1}};
  };
  MemoryShape memory;
  memory.read = Bytes{100};
  memory.written = Bytes{50};
  program.bodies = {
      {"all",
       {{"a", LaneId{0}, compute(Computation::flash_attention, Phase::recompute, attention), {}},
        {"b", LaneId{0}, compute(Computation::attention_norm, Phase::input_gradient, memory), {0}},
        {"c",
         LaneId{0},
         compute(Computation::mlp_up, Phase::weight_gradient, GemmShape{1, 2, 3, 4}),
         {0, 1}},
        {"d", LaneId{0}, compute(Computation::stage_total, Phase::update, ProfiledShape{2, 5}), {}},
        {"e", LaneId{1}, Copy{CopyDirection::device_to_host, Bytes{7}}, {}},
        {"f", LaneId{1}, Copy{CopyDirection::host_to_device, Bytes{7}}, {}},
        {"g", LaneId{2}, HostWork{HostWorkKind::delegate_send, Bytes{7}}, {4}},
        {"h", LaneId{2}, HostWork{HostWorkKind::checkpoint, Bytes{7}}, {}},
        {"i", LaneId{3}, Send{Axis::data, 3, Bytes{1e9}, Payload::activation, 1, Memory::host}, {}},
        {"j",
         LaneId{3},
         Receive{Axis::data, -3, Bytes{1e9}, Payload::activation, 1, Memory::host},
         {}},
        {"k",
         LaneId{3},
         Collective{CollectiveKind::all_gather, CommunicatorId{0}, Bytes{0.5}, DataType::fp32},
         {}}}}};
  Call call;
  call.body = BodyId{0};
  call.layers = 2;
  call.first_layer = 7;
  call.layer_step = -1;
  call.micro_batch = 3;
  call.chunk = 1;
  call.elements = {{30, 50}};
  program.bodies[0].recomputed = RecomputedPart::attention_core;
  program.roles = {{"stage 0", 0, {{call}}}};
  EXPECT_EQ(
      "grid data=8 (innermost first), 8 ranks\n"
      "communicator \"replicas\" 2 ranks: data/2 stride 4\n"
      "body \"all\" recomputes attention_core\n"
      "  0 compute: a: flash_attention recompute [1x8/2 heads, 16x32 d64]\n"
      "  1 compute: b: attention_norm input_gradient [100 B read, 50 B written] after 0\n"
      "  2 compute: c: mlp_up weight_gradient [1x2x3 x4] after 0,1\n"
      "  3 compute: d: stage_total update [profile of stage 2]\n"
      "  4 copy: e: copy device to host [7 B]\n"
      "  5 copy: f: copy host to device [7 B]\n"
      "  6 host: g: delegate sends [7 B] after 4\n"
      "  7 host: h: checkpoint [7 B]\n"
      "  8 wire: i: send from host memory to data +3 [1000000000 B] for chunk 1\n"
      "  9 wire: j: receive in host memory from data -3 [1000000000 B] for chunk 1\n"
      "  10 wire: k: all-gather over replicas [0.5 B]\n"
      "role \"stage 0\"\n"
      "  0 all m3 chunk 1 layer 7..6 elements 30..50\n",
      program_text(program));
}

}  // namespace
}  // namespace quintet
