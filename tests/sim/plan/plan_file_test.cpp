#include "sim/plan/plan_file.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/base/quantity_text.h"

namespace quintet {
namespace {

// The only key that must be there, and what else the case is about.
std::string plan_with(const std::string& parallelism, const std::string& rest = "") {
  return R"({"parallelism": {"sequence_length": 8192)" +
         std::string(parallelism.empty() ? "" : ", ") + parallelism + "}" +
         std::string(rest.empty() ? "" : ", ") + rest + "}";
}

Plan read_back(const Plan& plan) {
  const Result<Plan> read = parse_plan(plan_text(plan), "written");
  EXPECT_TRUE(read) << (read ? "" : read.error().text());
  return read ? *read : Plan{};
}

TEST(PlanFile, NeedsOnlyTheSequenceLength) {
  Plan expected;
  expected.parallelism.sequence_length = 8192;
  const Result<Plan> plan = parse_plan(plan_with(""), "plan.json");
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(expected, *plan);
}

TEST(PlanFile, HoldsTheFiveLayers) {
  const Result<Plan> plan = parse_plan(
      R"({"name": "all", "parallelism": {"tensor": 8, "data": 4, "pipeline": 2,
          "order": ["data", "tensor", "context", "expert", "pipeline"], "sequence_parallel": true,
          "sharding": "gradients", "sharding_group": 2, "schedule": "zb-h1",
          "sequence_length": 4096, "micro_batches": 16, "recompute": "selective",
          "attention": "unfused", "compute_type": "fp16", "clipping": "per-bucket"},
        "ccl": {"tuner": "nccl-2.30", "bucket": "25 MB",
          "rules": [{"axis": "data", "algorithm": "ring", "channels": 16}]},
        "intra_inter": {"decompositions": [{"axis": "data", "decomposition": "hierarchical"}]},
        "host_net": {"pipeline_delivery": "delegated", "delegates": 4},
        "network": {"routing": "ecmp", "hash_seed": 18446744073709551615, "mtu": "1 KiB"}})",
      "plan.json");
  ASSERT_TRUE(plan) << plan.error().text();
  Plan expected;
  expected.name = "all";
  Parallelism& parallelism = expected.parallelism;
  parallelism.tensor = 8;
  parallelism.data = 4;
  parallelism.pipeline = 2;
  parallelism.order = {Axis::data, Axis::tensor, Axis::context, Axis::expert, Axis::pipeline};
  parallelism.sequence_parallel = true;
  parallelism.sharding = Sharding::gradients;
  parallelism.sharding_group = 2;
  parallelism.schedule = PipelineSchedule::zb_h1;
  parallelism.sequence_length = 4096;
  parallelism.micro_batches = 16;
  parallelism.recompute = Recompute::selective;
  parallelism.attention = AttentionChoice::unfused;
  parallelism.compute_type = DataType::fp16;
  parallelism.clipping = Clipping::per_bucket;
  expected.ccl.tuner = TunerVersion::nccl_2_30;
  expected.ccl.bucket = Bytes{25e6};
  expected.ccl.rules = {{.axis = Axis::data, .algorithm = Algorithm::ring, .channels = 16}};
  expected.intra_inter.decompositions = {{Axis::data, Decomposition::hierarchical}};
  expected.host_net.pipeline_delivery = Delivery::delegated;
  expected.host_net.delegates = 4;
  expected.network = {Routing::ecmp, std::numeric_limits<std::uint64_t>::max(), 1.0, 1024};
  EXPECT_EQ(expected, *plan);
}

// One plan in which no field has its default.
Plan unusual_plan() {
  Plan plan;
  plan.name = "une \"étape\"";
  plan.parallelism = {
      .tensor = 2,
      .context = 3,
      .expert = 4,
      .data = 5,
      .pipeline = 6,
      .order = {Axis::pipeline, Axis::data, Axis::expert, Axis::context, Axis::tensor},
      .sequence_parallel = true,
      .sharding = Sharding::parameters,
      .sharding_group = 5,
      .replicator = {ReplicatorKind::striding, 2, 32, 4, 1.0 / 3.0, 0.5, false, IndexType::int16,
                     DataType::bf16, 7, 0.5, 0.25},
      .schedule = PipelineSchedule::warm_up,
      .virtual_stages = 7,
      .warm_ups = {11, 9, 7, 5, 3, 1},
      .stage_times = {{Seconds{8e-3}, Seconds{10e-3}, Seconds{5e-3}, Seconds{0.06}},
                      {Seconds{9e-3}, {}, {}, {}}},
      .split_backward = true,
      .stage_layers = {1, 2, 3},
      .sequence_length = 123,
      .micro_batch = 2,
      .micro_batches = 12,
      .recompute = Recompute::full,
      .recompute_layers = 1,
      .attention = AttentionChoice::unfused,
      .compute_type = DataType::fp8,
      .float8 = {Float8Scaling::current, 16, 3},
      .gradient_type = DataType::bf16,
      .master_weights = false,
      .moment_type = DataType::bf16,
      .optimizer = Optimizer::lamb,
      .clipping = Clipping::before_reduction,
      .samples = {"lengths.csv", SampleDraw::stratified, {64, 123}, {1, 0}, 7, {}},
      .load_balance = LoadBalance::presort_in_host,
      .offload = {.optimizer = 0.25, .activations = true, .piece = Bytes{7e6}}};
  plan.ccl = {TunerVersion::nccl_2_30,
              {{CollectiveKind::all_gather, Axis::tensor, Algorithm::pat, Protocol::ll128, 3}, {}},
              false,
              false,
              true,
              Bytes{1234567}};
  plan.intra_inter = {{{Axis::expert, Decomposition::hierarchical}}, Forwarding::none, {2, 1, 0}};
  plan.host_net = {Delivery::staged, Delivery::delegated, 3, 4,
                   Launch::graphs,   HeadOfLine::launches};
  plan.network = {Routing::spray, 7, 0.9, 9000};
  return plan;
}

// Files that were written before there was offload stay as they were.
TEST(PlanText, NamesOffloadOnlyWhereThereIsSome) {
  Plan plan;
  plan.parallelism.sequence_length = 1;
  EXPECT_EQ(std::string::npos, plan_text(plan).find("offload"));
  EXPECT_EQ(std::string::npos, plan_text(plan).find("moment_type"));
}

TEST(PlanText, IsReadBackToTheSamePlan) {
  EXPECT_EQ(unusual_plan(), read_back(unusual_plan()));
}

template <class Enum, class Set>
void expect_each_read_back(Enum last, Set set) {
  for (int value = 0; value <= static_cast<int>(last); ++value) {
    Plan plan;
    plan.parallelism.sequence_length = 1;
    set(plan, static_cast<Enum>(value));
    EXPECT_EQ(plan, read_back(plan)) << name_of(static_cast<Enum>(value));
  }
}

TEST(PlanText, IsReadBackWithEveryWord) {
  expect_each_read_back(Sharding::parameters,
                        [](Plan& plan, Sharding word) { plan.parallelism.sharding = word; });
  expect_each_read_back(PipelineSchedule::adapted, [](Plan& plan, PipelineSchedule word) {
    plan.parallelism.schedule = word;
  });
  expect_each_read_back(Recompute::full,
                        [](Plan& plan, Recompute word) { plan.parallelism.recompute = word; });
  expect_each_read_back(AttentionChoice::flash, [](Plan& plan, AttentionChoice word) {
    plan.parallelism.attention = word;
  });
  expect_each_read_back(Optimizer::sgd,
                        [](Plan& plan, Optimizer word) { plan.parallelism.optimizer = word; });
  expect_each_read_back(Clipping::per_bucket,
                        [](Plan& plan, Clipping word) { plan.parallelism.clipping = word; });
  expect_each_read_back(ReplicatorKind::none, [](Plan& plan, ReplicatorKind word) {
    plan.parallelism.replicator.kind = word;
  });
  expect_each_read_back(IndexType::int64, [](Plan& plan, IndexType word) {
    plan.parallelism.replicator.index_type = word;
  });
  expect_each_read_back(LoadBalance::presort_globally,
                        [](Plan& plan, LoadBalance word) { plan.parallelism.load_balance = word; });
  expect_each_read_back(Float8Scaling::block, [](Plan& plan, Float8Scaling word) {
    plan.parallelism.float8.scaling = word;
  });
  expect_each_read_back(DataType::int8,
                        [](Plan& plan, DataType word) { plan.parallelism.compute_type = word; });
  expect_each_read_back(CollectiveKind::all_to_all,
                        [](Plan& plan, CollectiveKind word) { plan.ccl.rules = {{.kind = word}}; });
  expect_each_read_back(Axis::pipeline,
                        [](Plan& plan, Axis word) { plan.ccl.rules = {{.axis = word}}; });
  expect_each_read_back(Algorithm::hierarchical,
                        [](Plan& plan, Algorithm word) { plan.ccl.rules = {{.algorithm = word}}; });
  expect_each_read_back(Protocol::simple,
                        [](Plan& plan, Protocol word) { plan.ccl.rules = {{.protocol = word}}; });
  expect_each_read_back(TunerVersion::nccl_2_30,
                        [](Plan& plan, TunerVersion word) { plan.ccl.tuner = word; });
  expect_each_read_back(Decomposition::hierarchical, [](Plan& plan, Decomposition word) {
    plan.intra_inter.decompositions = {{Axis::data, word}};
  });
  expect_each_read_back(Forwarding::same_rail,
                        [](Plan& plan, Forwarding word) { plan.intra_inter.forwarding = word; });
  expect_each_read_back(Delivery::delegated,
                        [](Plan& plan, Delivery word) { plan.host_net.pipeline_delivery = word; });
  expect_each_read_back(Launch::graphs,
                        [](Plan& plan, Launch word) { plan.host_net.launch = word; });
  expect_each_read_back(Routing::spray,
                        [](Plan& plan, Routing word) { plan.network.routing = word; });
}

TEST(PlanText, DoesNotThrowOnANameThatIsNoText) {
  Plan plan;
  plan.parallelism.sequence_length = 1;
  plan.name = "\xff";
  EXPECT_EQ("\xef\xbf\xbd", read_back(plan).name);
}

struct Mistake {
  std::string text;
  Error error;
};

TEST(PlanFile, SaysWhereTheMistakeIsAndWhatWouldDo) {
  const std::vector<Mistake> table{
      {R"({"name": "x"})",
       {"plan.json: parallelism.sequence_length",
        "is missing, expected a whole number, from 1 to 100000000"}},
      {plan_with(R"("tensr": 8)"),
       {"plan.json: parallelism.tensr", "unknown key; did you mean \"tensor\"?"}},
      {plan_with("", R"("hostnet": {})"),
       {"plan.json: hostnet", "unknown key; did you mean \"host_net\"?"}},
      {plan_with(R"("schedule": "1f1")"),
       {"plan.json: parallelism.schedule",
        "expected one of gpipe, 1f1b, interleaved, zb-h1, zb-h2, warm-up, adapted, found \"1f1\"; "
        "did you "
        "mean "
        "\"1f1b\"?"}},
      {plan_with(R"("order": ["tensor", "time"])"),
       {"plan.json: parallelism.order[1]",
        "expected one of tensor, context, expert, data, pipeline"}},
      {plan_with(R"("order": "tensor")"),
       {"plan.json: parallelism.order",
        "expected an array of axes, each one of tensor, context, expert, data, pipeline, found "
        "\"tensor\""}},
      {plan_with(R"("data": 0)"),
       {"plan.json: parallelism.data",
        "expected a whole number, from 1 to 1048576, found the number 0"}},
      {plan_with(R"("data": 1048576, "tensor": 2)"),
       {"plan.json: parallelism.data", "the degrees multiply to more than 1048576 ranks"}},
      {plan_with(R"("micro_batch": 1000000, "micro_batches": 1001)"),
       {"plan.json: parallelism.micro_batches",
        "a step of more than 1000000000 sequences is not accepted"}},
      {plan_with(R"("replicator": {"rate": 0})"),
       {"plan.json: parallelism.replicator.rate", "expected a share above 0 and up to 1"}},
      {plan_with(R"("replicator": {"kid": "demo"})"),
       {"plan.json: parallelism.replicator.kid", "unknown key; did you mean \"kind\"?"}},
      {plan_with("", R"("ccl": {"bucket": 25})"),
       {"plan.json: ccl.bucket",
        "expected text with a unit such as \"80 GiB\", found the number 25"}},
      {plan_with("", R"("ccl": {"rules": [{"algoritm": "ring"}]})"),
       {"plan.json: ccl.rules[0].algoritm", "unknown key; did you mean \"algorithm\"?"}},
      {plan_with("", R"("ccl": {"rules": {}})"),
       {"plan.json: ccl.rules", "expected an array of objects, found an object"}},
      {plan_with("", R"("intra_inter": {"decompositions": [{"decomposition": "flat"}]})"),
       {"plan.json: intra_inter.decompositions[0].axis",
        "is missing, expected one of tensor, context, expert, data, pipeline"}},
      {plan_with("", R"("network": {"hash_seed": -1})"),
       {"plan.json: network.hash_seed", "expected a whole number, 0 or more and below 2^64"}},
      {plan_with("", R"("network": {"mtu": "0.5 B"})"),
       {"plan.json: network.mtu",
        "expected a whole number of bytes from \"1 B\" to \"1 GB\", found \"0.5 B\""}},
      {plan_with("", R"("network": {"spray_efficiency": 2})"),
       {"plan.json: network.spray_efficiency", "expected a share above 0 and up to 1"}},
      {"[]", {"plan.json", "expected an object, found an array"}},
  };
  for (const Mistake& mistake : table) {
    const Result<Plan> plan = parse_plan(mistake.text, "plan.json");
    ASSERT_FALSE(plan) << mistake.text;
    EXPECT_EQ(mistake.error, plan.error()) << plan.error().text();
  }
}

TEST(PlanFile, RefusesEveryCutOfAGoodPlan) {
  const std::string good = plan_text(unusual_plan());
  for (std::size_t length = 0; length + 2 < good.size(); ++length)
    EXPECT_FALSE(parse_plan(good.substr(0, length), "plan.json")) << length;
}

TEST(PlanFile, NamesAFileThatIsNotThere) {
  const Result<Plan> plan = read_plan("/nowhere/plan.json");
  ASSERT_FALSE(plan);
  EXPECT_EQ("/nowhere/plan.json", plan.error().where);
}

}  // namespace
}  // namespace quintet
