// Steps whose state or activations wait in the host's memory, against sums by hand.
#include <algorithm>
#include <cmath>

#include "sim/simulate/predict.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace {

const CostTable& h100() {
  static const CostTable costs = test::shipped_costs("h100-sxm-80gb");
  return costs;
}

const CostTable& a100() {
  static const CostTable costs = test::shipped_costs("a100-sxm-80gb");
  return costs;
}

Plan one_gpu() {
  Plan plan;
  plan.parallelism.sequence_length = 1024;
  plan.parallelism.micro_batches = 4;
  plan.parallelism.recompute = Recompute::full;
  return plan;
}

struct Machine {
  Topology topology;
  const CostTable& costs;
};

// Their GPUs are dealt out to PCIe switches in order.
Machine dgx_a100(int gpus, int switches) {
  TopologyOptions options;
  options.changes = {{"host.gpu.count", std::to_string(gpus), ""},
                     {"host.pcie.switches", std::to_string(switches), ""}};
  return {test::required(read_topology(test::source("topologies/dgx-a100-1.json"), options)),
          a100()};
}
Machine dgx_h100() {
  return {test::shipped_topology("dgx-h100-1"), h100()};
}

Prediction predicted(const Plan& plan, const Machine& machine, const PredictOptions& options = {}) {
  return test::required(
      predict(test::shipped_model("gpt2"), plan, machine.topology, machine.costs, options));
}
Prediction predicted(const Plan& plan) {
  return predicted(plan, {test::shipped_topology("h100-1"), h100()});
}

std::vector<Span> spans_of(const Prediction& prediction, const std::string& name) {
  std::vector<Span> found;
  for (const Span& span : prediction.timeline.spans)
    if (span.track == 0 &&
        prediction.timeline.infos[static_cast<std::size_t>(span.info)].name == name)
      found.push_back(span);
  return found;
}

// What all GPUs' own PCIe links carried away from them.
double sent_to_host(const Prediction& prediction, const Machine& machine) {
  double bytes = 0;
  for (std::size_t number = 0; number < machine.topology.links.size(); ++number) {
    const Link& link = machine.topology.links[number];
    const std::int32_t load = prediction.load_of_link[number];
    if (load >= 0 && link.kind == LinkKind::pcie &&
        machine.topology.device(link.from).kind == DeviceKind::gpu)
      bytes += prediction.loads[static_cast<std::size_t>(load)].bytes;
  }
  return bytes;
}

double in_seconds(Duration duration) {
  return static_cast<double>(duration.picoseconds) * 1e-12;
}

// Per piece: 55.4 GB/s in, the update, 55.1 GB/s out, each copy 2.5 us more (h100-sxm-80gb.json);
// the third piece comes when the first has gone.
TEST(OffloadedState, TakesWhatItsCopiesTake) {
  Plan plan = one_gpu();
  plan.parallelism.offload = {.optimizer = 1, .piece = Bytes{200e6}};
  const Prediction step = predicted(plan);
  const auto fetched = spans_of(step, "fetch state"),
             updated = spans_of(step, "optimizer_update update"),
             cast = spans_of(step, "cast update"), stored = spans_of(step, "store state");
  // 124,439,808 parameters of 12 B: 7.47 times 200 MB.
  ASSERT_EQ(8U, fetched.size());
  const double size = 124'439'808.0 * 12 / 8;
  const double in = 2.5e-6 + size / 55.4e9, out = 2.5e-6 + size / 55.1e9;
  EXPECT_NEAR(in, in_seconds(fetched[0].end - fetched[0].start), 1e-9);
  EXPECT_NEAR(out, in_seconds(stored[0].end - stored[0].start), 1e-9);
  double kernels = in_seconds(cast[1].end - updated[1].start);
  double came = 0, free = 0, gone = 0;  // since the first update, which finds two pieces there
  double comes[8] = {};
  for (int piece = 0; piece < 8; ++piece) {
    free = std::max(free, comes[piece]) + kernels;
    gone = std::max(gone, free) + out;
    if (piece + 2 < 8) comes[piece + 2] = came = std::max(came, gone) + in;
  }
  const double took = in_seconds(stored.back().end - updated[0].start);
  EXPECT_NEAR(gone, took, 0.002 * gone);
  EXPECT_EQ(step.timeline.end, stored.back().end);
}

// The first two pieces are there before the update asks for them: 15 of 100 MB take 1.8 ms each,
// and the last backward 5 ms.
TEST(OffloadedState, BeginsToComeUnderBackward) {
  Plan plan = one_gpu();
  plan.parallelism.offload = {.optimizer = 1, .piece = Bytes{100e6}};
  const Prediction step = predicted(plan);
  const auto fetched = spans_of(step, "fetch state");
  const Instant update = spans_of(step, "optimizer_update update").front().start;
  EXPECT_LE(fetched[1].end, update);
  EXPECT_GT(fetched[2].start, update);
  EXPECT_GT(fetched[0].start, spans_of(step, "embedding forward").back().start);
}

// GPT-2's input of 1024 x 768 x 2 B = 1.57 MB takes 31 us; a layer's forward takes longer, so the
// step grows by no more than the first fetch of each backward.
TEST(OffloadedActivations, HideUnderTheLayersThatComputeMeanwhile) {
  Plan plan = one_gpu();
  const double plain = in_seconds(predicted(plan).timeline.end - Instant{});
  plan.parallelism.offload.activations = true;
  const Prediction step = predicted(plan);
  const double input = 1024 * 768 * 2.0;
  const auto out = spans_of(step, "keep input"), next = spans_of(step, "fetch next input"),
             first = spans_of(step, "fetch input");
  ASSERT_EQ(4U * 12, out.size());
  ASSERT_EQ(4U * 11, next.size());
  ASSERT_EQ(4U, first.size());
  EXPECT_NEAR(2.5e-6 + input / 55.1e9, in_seconds(out[0].end - out[0].start), 1e-9);
  EXPECT_NEAR(2.5e-6 + input / 55.4e9, in_seconds(next[0].end - next[0].start), 1e-9);
  const double grown = in_seconds(step.timeline.end - Instant{}) - plain;
  EXPECT_GE(grown, -1e-6);
  EXPECT_LE(grown, 4 * (2.5e-6 + input / 55.4e9) + 1e-4);
}

// 12 bytes of each parameter go to the host's memory and come from it, on each of two ranks.
TEST(OffloadedState, LoadsTheLinksThatItTakes) {
  Plan plan = one_gpu();
  plan.parallelism.data = 2;
  plan.parallelism.offload = {.optimizer = 1, .piece = Bytes{200e6}};
  const Machine machine = dgx_a100(2, 1);
  EXPECT_EQ(2 * 124'439'808.0 * 12, sent_to_host(predicted(plan, machine), machine));
}

// Two GPUs of a DGX A100 hang on one PCIe switch with one way up: it carries both at half the rate
// each. 31.5 GB/s of raw PCIe 4 x16 are 28.8 of payload (host_path.h), 14.4 for each of two, where
// one alone gets 26.0 (a100-sxm-80gb.json). A DGX H100 has a switch for each GPU.
TEST(OffloadedState, SharesTheWayToTheHost) {
  const double size = 124'439'808.0 * 12 / 8;
  const auto last_stored = [](const Machine& machine, int gpus) {
    Plan plan = one_gpu();
    plan.parallelism.offload = {.optimizer = 1, .piece = Bytes{200e6}};
    plan.parallelism.data = gpus;
    const auto stored = spans_of(predicted(plan, machine), "store state");
    return in_seconds(stored.back().end - stored.back().start);
  };
  const double shared = 2.5e-6 + 2 * size / (31.5076923e9 * 256 / 280);
  EXPECT_NEAR(shared, last_stored(dgx_a100(8, 4), 8), 1e-8);
  EXPECT_NEAR(shared, last_stored(dgx_a100(2, 1), 2), 1e-8);
  EXPECT_NEAR(2.5e-6 + size / 26.0e9, last_stored(dgx_a100(8, 8), 8), 1e-9);
  EXPECT_NEAR(2.5e-6 + size / 55.1e9, last_stored(dgx_h100(), 8), 1e-9);
}

// Of three GPUs on two switches two share a way to the host and one has its own. Ranks that do the
// same are one at first, and the ways presumed slack, until two copies fill one.
TEST(OffloadedState, FoldsWithoutChange) {
  Plan plan = one_gpu();
  plan.parallelism.sharding = Sharding::optimizer;
  plan.parallelism.offload = {.optimizer = 0.7, .activations = true, .piece = Bytes{20e6}};
  PredictOptions unfolded;
  unfolded.folding = Folding::none;
  for (const Machine& machine : {dgx_h100(), dgx_a100(8, 4), dgx_a100(3, 2)}) {
    plan.parallelism.data = static_cast<int>(machine.topology.hosts.front().gpus.size());
    const Prediction folded = predicted(plan, machine), whole = predicted(plan, machine, unfolded);
    EXPECT_EQ(folded.timeline.end, whole.timeline.end) << machine.topology.name;
    EXPECT_EQ(sent_to_host(folded, machine), sent_to_host(whole, machine)) << machine.topology.name;
    EXPECT_EQ(std::size(whole.timeline.tracks), machine.topology.hosts.front().gpus.size());
  }
}

TEST(Offload, IsRefusedWhereCopiesHaveNoPrice) {
  Plan plan = one_gpu();
  plan.parallelism.offload.optimizer = 1;
  CostTable costs = h100();
  costs.copy = {};
  const auto step =
      predict(test::shipped_model("gpt2"), plan, test::shipped_topology("h100-1"), costs, {});
  ASSERT_FALSE(step);
  EXPECT_NE(std::string::npos, step.error().text().find("copy")) << step.error().text();
}

}  // namespace
}  // namespace quintet
