// Steps on samples of unequal length.
#include <algorithm>

#include "sim/simulate/predict.h"
#include "tests/sim/simulate/spans_by_rank.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace {

Model small_model() {
  Model model = test::shipped_model("llama-3-8b");
  model.layers = 4;
  return model;
}

// Lengths and their shares.
LengthHistogram lengths_of(const std::vector<std::pair<int, double>>& shares, int longest) {
  LengthHistogram lengths{std::vector<double>(static_cast<std::size_t>(longest), 0.0)};
  for (const auto& [length, share] : shares)
    lengths.share[static_cast<std::size_t>(length) - 1] = share;
  return lengths;
}

Plan plan_of(int data, const std::vector<std::pair<int, double>>& shares) {
  Plan plan;
  plan.name = "samples";
  plan.parallelism.data = data;
  plan.parallelism.sequence_length = 1024;
  plan.parallelism.micro_batch = 2;
  plan.parallelism.micro_batches = 2;
  plan.ccl.bucket = Bytes{200e6};
  plan.parallelism.samples.lengths = "of the test";
  plan.parallelism.samples.histogram = lengths_of(shares, 1024);
  return plan;
}

Prediction predicted(const Plan& plan, Folding folding = Folding::equivalent) {
  PredictOptions options;
  options.folding = folding;
  const int ranks = world_size(plan.parallelism);
  const Topology topology = ranks == 1 ? test::shipped_topology("h100-1")
                                       : test::shipped_topology("dgx-h100-1024", ranks / 8);
  static const CostTable costs = test::shipped_costs("h100-sxm-80gb");
  return test::required(predict(small_model(), plan, topology, costs, options));
}

// Samples of 256 in a plan for up to 1,024 take what a plan for 256 takes: nothing is padded.
TEST(Samples, OfOneLengthTakeWhatThatLengthTakes) {
  Plan shorter = plan_of(1, {});
  shorter.parallelism.samples = {};
  shorter.parallelism.sequence_length = 256;
  const Prediction varied = predicted(plan_of(1, {{256, 1.0}})), plain = predicted(shorter);
  EXPECT_EQ(varied.timeline.end, plain.timeline.end);
  EXPECT_EQ(varied.numbers.tokens, plain.numbers.tokens);
  EXPECT_NEAR(varied.numbers.model_flops.value, plain.numbers.model_flops.value,
              1e-9 * plain.numbers.model_flops.value);
}

// Ranks with equal samples are one class, others their own; nothing else changes.
TEST(Samples, AreFoldedToThePicosecond) {
  for (const LoadBalance balance : {LoadBalance::none, LoadBalance::presort_in_host}) {
    Plan plan = plan_of(32, {{128, 0.5}, {1024, 0.5}});
    plan.parallelism.load_balance = balance;
    const Timeline folded = predicted(plan).timeline;
    const Timeline full = predicted(plan, Folding::none).timeline;
    EXPECT_EQ(full.end, folded.end);
    EXPECT_GT(folded.tracks.size(), 1u);
    EXPECT_LT(folded.tracks.size(), 32u);
    const auto of_all = spans_by_rank(full);
    for (const auto& [rank, spans] : spans_by_rank(folded))
      EXPECT_EQ(of_all.at(rank), spans) << "rank " << rank;
  }
}

Seconds end_of(const Prediction& prediction) {
  return seconds(prediction.timeline.end);
}

// Long samples of the replica that has most of them.
std::int64_t most_long_samples(const Prediction& prediction, std::int64_t length) {
  std::int64_t most = 0;
  for (const std::vector<SampleWork>& rank : prediction.program.dealt.of_rank) {
    SampleWork all;
    for (const SampleWork& work : rank) all = sum(all, work);
    most = std::max(most, all.tokens / length);  // four short ones are less than one
  }
  return most;
}

// 2 x 2 samples of 16 replicas, of 64 or 1,024 tokens: some rank has drawn four long ones, and its
// step waits for nobody. Presorted over all, of 64 samples up to 32 are long (by this seed): two
// for the slowest rank, and the step lies in the middle between four short and four long, within 10
// %, since a kernel of half the rows takes more than half.
TEST(Samples, TheStepWaitsForTheSlowestRank) {
  Plan plan = plan_of(16, {{64, 0.5}, {1024, 0.5}});
  const Prediction random = predicted(plan);
  Plan longest = plan, shortest = plan;
  longest.parallelism.samples.histogram = lengths_of({{1024, 1.0}}, 1024);
  shortest.parallelism.samples.histogram = lengths_of({{64, 1.0}}, 1024);
  ASSERT_EQ(most_long_samples(random, 1024), 4) << "choose another seed";
  const Seconds all_long = end_of(predicted(longest)), all_short = end_of(predicted(shortest));
  EXPECT_NEAR(end_of(random) / all_long, 1.0, 0.02);
  plan.parallelism.load_balance = LoadBalance::presort_globally;
  const Prediction presorted = predicted(plan);
  const auto most = static_cast<double>(most_long_samples(presorted, 1024));
  ASSERT_EQ(most, 2) << "choose another seed";
  const Seconds between = all_short + most / 4 * (all_long - all_short);
  EXPECT_NEAR(end_of(presorted) / between, 1.0, 0.1) << most;
}

// BERT-large with 16 samples on each GPU of a host: 8 x 65.6 KB are gathered (arXiv 2402.02447).
TEST(Samples, ArePricedAsTheyAreExchanged) {
  Plan plan = plan_of(16, {{128, 0.5}, {512, 0.5}});
  plan.parallelism.sequence_length = 512;
  plan.parallelism.micro_batch = 16;
  plan.parallelism.micro_batches = 1;
  plan.parallelism.samples.histogram.share.resize(512);
  plan.parallelism.load_balance = LoadBalance::presort_in_host;
  const Prediction prediction = test::required(predict(test::shipped_model("bert-large"), plan,
                                                       test::shipped_topology("dgx-a100", 2),
                                                       test::shipped_costs("a100-sxm-80gb"), {}));
  const Body& presort = prediction.program.bodies.front();
  ASSERT_EQ(presort.name, "presort");
  const auto& gather = std::get<Collective>(presort.instructions.front().action);
  EXPECT_EQ(gather.size, Bytes{8 * (4.0 * 16 * 512 + 16) * 2});
  EXPECT_EQ(gather.purpose, Purpose::exchange_samples);
  EXPECT_EQ(prediction.program.communicators[gather.communicator.index()].parts.front().size, 8);
  const auto& infos = prediction.timeline.infos;
  const auto& spans = prediction.timeline.spans;
  const auto begins = [&](const std::string& name) {
    return std::find_if(spans.begin(), spans.end(),
                        [&](const Span& span) {
                          return infos[static_cast<std::size_t>(span.info)].name == name;
                        })
        ->start;
  };
  EXPECT_LT(begins("all-gather samples"), begins("embedding forward"));
}

}  // namespace
}  // namespace quintet
