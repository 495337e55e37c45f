// What the source papers need of a Program, written by hand and run: what compile()
// does not make yet must be sayable all the same.

#include <algorithm>
#include <map>

#include "sim/parallelism/schedules/list_schedule.h"
#include "sim/simulate/predict.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace {

const Topology& two_hosts() {
  static const Topology topology = test::shipped_topology("dgx-h100-1024", 2);
  return topology;
}

// A program under construction, one role per stage.
class HandMade {
 public:
  explicit HandMade(std::vector<AxisSize> axes) { program.grid.axes = std::move(axes); }

  LaneId lane(LaneKind kind, const std::string& name) {
    program.lanes.push_back({kind, name});
    return id_at<LaneId>(program.lanes.size() - 1);
  }
  CommunicatorId communicator(const std::string& name, AxisPart part) {
    program.communicators.push_back({name, {part}, {}});
    return id_at<CommunicatorId>(program.communicators.size() - 1);
  }
  void role(int stage) { program.roles.push_back({"stage " + std::to_string(stage), stage, {}}); }
  // Appends a call of a new body to the last role.
  int call(const std::string& name, std::vector<Instruction> instructions, std::vector<int> after,
           int micro_batch = -1, int bucket = -1) {
    program.bodies.push_back({name, std::move(instructions)});
    Call made;
    made.body = id_at<BodyId>(program.bodies.size() - 1);
    made.micro_batch = micro_batch;
    made.bucket = bucket;
    made.after = std::move(after);
    std::vector<Call>& calls = program.roles.back().script.calls;
    calls.push_back(made);
    return static_cast<int>(calls.size()) - 1;
  }

  Program program;
};

Instruction kernel(LaneId lane, Computation which, double bytes, std::vector<int> after = {}) {
  MemoryShape shape;
  shape.read = shape.written = Bytes{bytes};
  return {std::string(name_of(kind_of(which))), lane,
          Compute{{which, Phase::update, DataType::bf16, shape, 1}}, std::move(after)};
}

Instruction gemm(LaneId lane, Phase phase) {
  return {"mlp_up " + std::string(name_of(phase)),
          lane,
          Compute{{Computation::mlp_up, phase, DataType::bf16, GemmShape{8192, 8192, 8192}, 1}},
          {}};
}

Instruction collective(const std::string& name, LaneId lane, CollectiveKind kind,
                       CommunicatorId communicator, double bytes, std::vector<int> after = {}) {
  return {name, lane, Collective{kind, communicator, Bytes{bytes}, DataType::fp16},
          std::move(after)};
}

Execution run(const Program& program, const Plan& plan = {}) {
  EXPECT_EQ(std::vector<std::string>{}, faults(program)) << program_text(program);
  static const CostTable costs = test::shipped_costs("h100-sxm-80gb");
  return test::required(simulate(program, plan, two_hosts(), costs, {}));
}

// Spans of the first track by the name of their instruction, in order of start.
std::vector<Span> spans_of(const Execution& execution, const std::string& name, int track = 0) {
  std::vector<Span> found;
  for (const Span& span : execution.timeline.spans)
    if (span.track == track &&
        execution.timeline.infos[static_cast<std::size_t>(span.info)].name == name)
      found.push_back(span);
  return found;
}

// Most bytes that any NIC sent into the network.
double sent_by_a_nic(const Execution& execution) {
  double most = 0;
  for (const LinkLoad& load : execution.loads) {
    const Link& link = two_hosts().link(load.shown);
    if (two_hosts().device(link.from).kind == DeviceKind::nic && link.kind == LinkKind::network)
      most = std::max(most, load.bytes);
  }
  return most;
}

// arXiv 2402.02447 (BWGC): four buckets of 25 MB of fp16, each clipped by its own norm and sent
// while backward goes on; no norm of all gradients anywhere.
TEST(Papers, SayBucketWiseClipping) {
  HandMade made({{Axis::data, 16}});
  const LaneId compute = made.lane(LaneKind::compute, "compute");
  const LaneId wire = made.lane(LaneKind::communication, "gradients");
  const CommunicatorId data = made.communicator("data", {Axis::data, 0, 1});
  made.role(0);
  std::vector<int> sent;
  for (int bucket = 0; bucket < 4; ++bucket) {
    const int backward = made.call("backward", {gemm(compute, Phase::backward)}, {});
    sent.push_back(
        made.call("bucket chain",
                  {kernel(compute, Computation::gradient_norm, 25e6),
                   kernel(compute, Computation::gradient_clip, 25e6, {0}),
                   collective("all-reduce", wire, CollectiveKind::all_reduce, data, 25e6, {1})},
                  {backward}, -1, bucket));
  }
  made.call("update", {kernel(compute, Computation::element_update, 100e6)}, sent);
  const Execution execution = run(made.program);

  const std::vector<Span> clips = spans_of(execution, "gradient_clip");
  const std::vector<Span> sums = spans_of(execution, "all-reduce");
  const std::vector<Span> backwards = spans_of(execution, "mlp_up backward");
  ASSERT_EQ(4U, sums.size());
  for (std::size_t bucket = 0; bucket < 4; ++bucket)
    EXPECT_EQ(std::max(clips[bucket].end, bucket ? sums[bucket - 1].end : Instant{}),
              sums[bucket].start);
  EXPECT_LT(sums[0].start, backwards[3].start);
  EXPECT_GE(spans_of(execution, "optimizer_update")[0].start, sums[3].end);
}

// arXiv 2504.19232: sends and receives through delegates, micro-batch m by delegate m mod 2; the
// order of passes from warm-up counts per stage (4.3), B and W apart.
class Delegated {
 public:
  Delegated() : made_({{Axis::data, 8}, {Axis::pipeline, 2}}) {
    compute_ = made_.lane(LaneKind::compute, "compute");
    out_ = made_.lane(LaneKind::copy, "device to host");
    in_ = made_.lane(LaneKind::copy, "host to device");
    for (int delegate = 0; delegate < delegates; ++delegate) {
      const std::string number = std::to_string(delegate);
      senders_.push_back(made_.lane(LaneKind::host, "sends " + number));
      receivers_.push_back(made_.lane(LaneKind::host, "receives " + number));
    }
  }

  Program program() {
    const std::vector<PassOrder> orders =
        list_schedule({3, 1}, 6, even_times(2, {Seconds{1e-3}, Seconds{1e-3}, Seconds{1e-3}}));
    for (int stage = 0; stage < 2; ++stage) {
      made_.role(stage);
      for (const Pass& pass : orders[static_cast<std::size_t>(stage)]) append(pass, stage);
    }
    return made_.program;
  }

  static constexpr int delegates = 2;
  static constexpr double bytes = 64e6;

 private:
  void append(const Pass& pass, int stage) {
    switch (pass.kind) {
      case PassKind::forward: {
        const std::vector<int> ready = stage == 0 ? std::vector<int>{} : receive(pass);
        const int done = compute(pass, Phase::forward, ready);
        if (stage == 0) send(pass, done);
        return;
      }
      case PassKind::input_gradient: {
        const std::vector<int> ready = stage == 1 ? std::vector<int>{} : receive(pass);
        const int done = compute(pass, Phase::input_gradient, ready);
        if (stage == 1) send(pass, done);
        return;
      }
      case PassKind::weight_gradient:
        compute(pass, Phase::weight_gradient, {});
        return;
      case PassKind::backward:
        FAIL() << "the schedule splits backward";
    }
  }

  int compute(const Pass& pass, Phase phase, std::vector<int> after) {
    return made_.call(std::string(name_of(phase)), {gemm(compute_, phase)}, std::move(after),
                      pass.micro_batch);
  }

  static Payload payload(const Pass& pass) {
    return pass.kind == PassKind::forward ? Payload::activation : Payload::activation_gradient;
  }

  void send(const Pass& pass, int done) {
    const LaneId delegate = senders_[static_cast<std::size_t>(pass.micro_batch % delegates)];
    const int offset = pass.kind == PassKind::forward ? 1 : -1;
    made_.call("delegated send",
               {{"copy out", out_, Copy{CopyDirection::device_to_host, Bytes{bytes}}, {}},
                {"take over", delegate, HostWork{HostWorkKind::delegate_send, Bytes{bytes}}, {0}},
                {"send",
                 delegate,
                 Send{Axis::pipeline, offset, Bytes{bytes}, payload(pass), 0, Memory::host},
                 {1}}},
               {done}, pass.micro_batch);
  }

  std::vector<int> receive(const Pass& pass) {
    const LaneId delegate = receivers_[static_cast<std::size_t>(pass.micro_batch % delegates)];
    const int offset = pass.kind == PassKind::forward ? -1 : 1;
    return {made_.call(
        "delegated receive",
        {{"receive",
          delegate,
          Receive{Axis::pipeline, offset, Bytes{bytes}, payload(pass), 0, Memory::host},
          {}},
         {"hand over", delegate, HostWork{HostWorkKind::delegate_receive, Bytes{bytes}}, {0}},
         {"copy in", in_, Copy{CopyDirection::host_to_device, Bytes{bytes}}, {1}}},
        {}, pass.micro_batch)};
  }

  HandMade made_;
  LaneId compute_, out_, in_;
  std::vector<LaneId> senders_, receivers_;
};

Plan delegated_plan() {
  Plan plan;
  plan.host_net.pipeline_delivery = Delivery::delegated;
  plan.host_net.delegates = Delegated::delegates;
  return plan;
}

TEST(Papers, SayDelegatedSendsAndWarmUpCounts) {
  const Execution execution = run(Delegated().program(), delegated_plan());
  ASSERT_EQ(2U, execution.timeline.tracks.size());  // eight data ranks of a stage are alike
  // Three forwards before the first B on stage 0, one on stage 1.
  const std::vector<Span> first = spans_of(execution, "mlp_up forward", 0);
  const std::vector<Span> second = spans_of(execution, "mlp_up forward", 1);
  ASSERT_EQ(6U, first.size());
  EXPECT_LT(first[2].start, spans_of(execution, "mlp_up input_gradient", 0)[0].start);
  EXPECT_GE(first[3].start, spans_of(execution, "mlp_up input_gradient", 0)[0].end);
  EXPECT_GE(second[1].start, spans_of(execution, "mlp_up input_gradient", 1)[0].end);
  // Each message: copied out, sent, received, copied in, computed on, in this order.
  const std::vector<Span> out = spans_of(execution, "copy out", 0);
  const std::vector<Span> sent = spans_of(execution, "send", 0);
  const std::vector<Span> received = spans_of(execution, "receive", 1);
  const std::vector<Span> in = spans_of(execution, "copy in", 1);
  for (std::size_t message = 0; message < 6; ++message) {
    EXPECT_GE(out[message].start, first[message].end);
    EXPECT_GE(sent[message].start, out[message].end);
    EXPECT_GE(received[message].end, sent[message].end);
    EXPECT_EQ(sent[message].flow, received[message].flow);
    EXPECT_GE(in[message].start, received[message].end);
    EXPECT_GE(second[message].start, in[message].end);
  }
}

// The NIC carries every message once, from the host's memory; a GPU's own PCIe link carries its
// copies, once each.
TEST(Papers, SendDelegatedMessagesFromHostMemory) {
  const Execution execution = run(Delegated().program(), delegated_plan());
  EXPECT_DOUBLE_EQ(6 * Delegated::bytes, sent_by_a_nic(execution));
  for (const LinkLoad& load : execution.loads)
    if (two_hosts().device(two_hosts().link(load.shown).from).kind == DeviceKind::gpu) {
      EXPECT_DOUBLE_EQ(6 * Delegated::bytes, load.bytes);
    }
}

// A delegate is a process of its own: the training process goes on launching, as it does not after
// a blocking wait.
TEST(Papers, LetDelegatesWorkBesideTheLaunchingCpu) {
  const auto second_kernel_starts = [](HostWorkKind task) {
    HandMade made({{Axis::data, 16}});
    const LaneId compute = made.lane(LaneKind::compute, "compute");
    const LaneId host = made.lane(LaneKind::host, "host");
    made.role(0);
    const int first = made.call("first", {gemm(compute, Phase::forward)}, {});
    made.call("work", {{"work", host, HostWork{task, Bytes{1}}, {}}}, {first});
    made.call("second", {gemm(compute, Phase::forward)}, {});
    const Execution execution = run(made.program);
    return spans_of(execution, "mlp_up forward")[1].start >
           spans_of(execution, "mlp_up forward")[0].end;
  };
  EXPECT_FALSE(second_kernel_starts(HostWorkKind::delegate_send));
  EXPECT_FALSE(second_kernel_starts(HostWorkKind::delegate_receive));
  EXPECT_TRUE(second_kernel_starts(HostWorkKind::synchronise));
}

// FlexDeMo (arXiv 2502.06728) with top-k over chunks: gradients scattered inside the host, 4 of 64
// coefficients (8 B of index and value each) gathered between the hosts, weights gathered inside.
TEST(Papers, SayShardedReplicators) {
  constexpr double parameters = 64e6, shard = parameters / 8, replicas = 2;
  constexpr double payload = shard * 4 / 64 * 8;  // of one rank
  HandMade made({{Axis::data, 16}});
  const LaneId compute = made.lane(LaneKind::compute, "compute");
  const LaneId wire = made.lane(LaneKind::communication, "gradients");
  const CommunicatorId shards = made.communicator("shards", {Axis::data, 8, 1});
  const CommunicatorId between = made.communicator("replicas", {Axis::data, 2, 8});
  made.role(0);
  const int backward = made.call("backward", {gemm(compute, Phase::backward)}, {});
  const int replicated = made.call(
      "replicate",
      {collective("reduce-scatter", wire, CollectiveKind::reduce_scatter, shards, parameters * 4),
       kernel(compute, Computation::coefficient_choice, shard * 4, {0}),
       collective("all-gather indices and values", wire, CollectiveKind::all_gather, between,
                  replicas * payload, {1}),
       kernel(compute, Computation::coefficient_mean, shard * 4, {2})},
      {backward});
  const int updated =
      made.call("update", {kernel(compute, Computation::element_update, shard * 4)}, {replicated});
  made.call(
      "gather",
      {collective("all-gather weights", wire, CollectiveKind::all_gather, shards, parameters * 2)},
      {updated});
  Plan plan;
  plan.ccl.rules = {{.algorithm = Algorithm::ring}};
  const Execution execution = run(made.program, plan);
  // Nothing but the payload leaves the host: a ring of two hands over each rank's own part.
  EXPECT_DOUBLE_EQ(payload, sent_by_a_nic(execution));
  EXPECT_EQ(1U, execution.timeline.tracks.size());
  const Instant sent = spans_of(execution, "all-gather indices and values")[0].start;
  EXPECT_EQ(spans_of(execution, "compress")[0].end, sent);
  EXPECT_EQ(spans_of(execution, "decompress")[0].end,
            spans_of(execution, "optimizer_update")[0].start);
}

// arXiv 2402.02447: once per step the eight ranks of a host gather ids, masks and labels - (4 x 16
// x 512 + 16) x 2 B a rank - and each sorts them; then the step begins.
TEST(Papers, SayLoadBalancingInsideAHost) {
  constexpr double packed = (4 * 16 * 512 + 16) * 2;
  HandMade made({{Axis::data, 16}});
  const LaneId compute = made.lane(LaneKind::compute, "compute");
  const LaneId host = made.lane(LaneKind::host, "host");
  const LaneId wire = made.lane(LaneKind::communication, "samples");
  const CommunicatorId inside = made.communicator("host", {Axis::data, 8, 1});
  made.role(0);
  const int sorted = made.call(
      "presort",
      {{"load batch", host, HostWork{HostWorkKind::data_loading, Bytes{packed}}, {}},
       collective("all-gather samples", wire, CollectiveKind::all_gather, inside, 8 * packed, {0}),
       kernel(compute, Computation::presort, 8 * packed, {1})},
      {});
  made.call("forward", {gemm(compute, Phase::forward)}, {sorted}, 0);
  const Execution execution = run(made.program);
  EXPECT_EQ(0.0, sent_by_a_nic(execution));
  EXPECT_LE(spans_of(execution, "load batch")[0].end,
            spans_of(execution, "all-gather samples")[0].start);
  EXPECT_EQ(spans_of(execution, "presort")[0].end, spans_of(execution, "mlp_up forward")[0].start);
}

// A program that cannot end says who waits for what instead of hanging.
TEST(Papers, NameWhatAStuckProgramWaitsFor) {
  HandMade made({{Axis::data, 8}, {Axis::pipeline, 2}});
  const LaneId wire = made.lane(LaneKind::communication, "wire");
  for (int stage = 0; stage < 2; ++stage) {  // both receive before they send
    const int offset = stage == 0 ? 1 : -1;
    made.role(stage);
    const int received = made.call(
        "receive", {{"receive", wire, Receive{Axis::pipeline, offset, Bytes{8}}, {}}}, {}, stage);
    made.call("send", {{"send", wire, Send{Axis::pipeline, offset, Bytes{8}}, {}}}, {received},
              1 - stage);
  }
  ASSERT_EQ(std::vector<std::string>{}, faults(made.program));
  const CostTable costs = test::shipped_costs("h100-sxm-80gb");
  const auto stuck = simulate(made.program, Plan{}, two_hosts(), costs, {});
  ASSERT_FALSE(stuck.has_value());
  EXPECT_NE(std::string::npos, stuck.error().what.find("wire waits in \"receive\""))
      << stuck.error().text();
}

}  // namespace
}  // namespace quintet
