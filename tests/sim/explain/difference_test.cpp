#include "sim/explain/difference/difference.h"

#include <gtest/gtest.h>

#include "sim/explain/difference/difference_report.h"
#include "tests/support/difference_of.h"
#include "tests/support/timelines.h"

namespace quintet {
namespace {

// Folded: one rank stands for two. Forward 10, all-reduce 4, update 2.
Timeline predicted(std::int64_t unit) {
  Timeline timeline = small_world(16 * unit);
  add_track(timeline, 0, 2);
  add_span(timeline, 0, On::forward, 0, 10 * unit).layer = 0;
  add_span(timeline, 0, On::tensor_all_reduce, 10 * unit, 14 * unit).layer = 0;
  add_span(timeline, 0, On::update, 14 * unit, 16 * unit);
  return timeline;
}

// Rank 0: forward 12, then 3 of waiting and 5 of moving, update 4, idle 1.
// Rank 1: forward 15, moving 5, update 5.
Timeline measured(std::int64_t unit) {
  Timeline timeline = small_world(25 * unit);
  timeline.tracks = {{Rank{0}, 1, 0, "stage 0"}, {Rank{1}, 1, 0, "stage 0"}};
  add_span(timeline, 0, On::forward, 0, 12 * unit).layer = 0;
  add_span(timeline, 0, On::tensor_all_reduce, 12 * unit, 15 * unit, 20 * unit).layer = 0;
  add_span(timeline, 0, On::update, 20 * unit, 24 * unit);
  add_span(timeline, 1, On::forward, 0, 15 * unit).layer = 0;
  add_span(timeline, 1, On::tensor_all_reduce, 15 * unit, 15 * unit, 20 * unit).layer = 0;
  add_span(timeline, 1, On::update, 20 * unit, 25 * unit);
  timeline.cpu = {{6 * unit}, {0}, {4 * unit}, {15 * unit}, {0}, {5 * unit}};
  return timeline;
}

std::string error_of(const Timeline& one, const Timeline& other) {
  const Result<Difference> found = difference(one, other);
  return found ? "nothing wrong" : found.error().text();
}

// Means of two ranks; halves go to the first parts that have one, so that 16 and 25 are reached.
TEST(Difference, SplitsTheStepByRowLayerAndStack) {
  const Difference found = difference_of(predicted(1), measured(1));
  EXPECT_EQ(found.ranks, 2);
  EXPECT_EQ(found.step, (Compared{{16}, {25}}));
  EXPECT_EQ(found.predicted.compute, Duration{12});
  EXPECT_EQ(found.measured.compute, Duration{14 + 5});  // 13.5 and 4.5, both rounded up
  EXPECT_EQ(found.measured.waiting, Duration{1});       // 1.5
  const std::vector<DifferencePart> layers{
      {"outside the layers", {{2}, {5}}},
      {"layer 0", {{14}, {20}}},
      {"no instruction: drained pipeline, late launches, idle", {{0}, {0}}}};
  EXPECT_EQ(found.layers, layers);
  // Rank 0 waited for 3 of its 8, so 1.5 on average, of which the mean keeps 1.
  const std::vector<DifferencePart> axes{
      {"computing", {{12}, {18}}},
      {"tensor: data moves", {{4}, {5}}},
      {"tensor: waits for peers, bubble", {{0}, {2}}},
      {"no instruction: drained pipeline, late launches, idle", {{0}, {0}}}};
  EXPECT_EQ(found.axes, axes);
  const std::vector<DifferencePart> stack{
      {"kernels (below the stack)", {{12}, {19}}},
      {"parallelism: bubble, waiting for peers", {{0}, {1}}},
      {"ccl, intra_inter, network: collectives move", {{4}, {5}}},
      {"network: between stages", {{0}, {0}}},
      {"host_net: copies, host", {{0}, {0}}},
      {"idle", {{0}, {0}}}};
  EXPECT_EQ(found.stack, stack);
}

TEST(Difference, GivesRatiosOfOperatorsAndCommunication) {
  const Difference found = difference_of(predicted(2), measured(2));
  const std::vector<OperatorRatio> operators{
      {OperatorKind::mlp_up, Phase::forward, 2, {{20}, {27}}, Duration{21}},
      {OperatorKind::optimizer_update, Phase::update, 2, {{4}, {9}}, Duration{9}}};
  EXPECT_EQ(found.operators, operators);
  const std::vector<CommunicationRatio> moves{
      {static_cast<std::int32_t>(On::tensor_all_reduce), 2, {{8}, {10}}, {{0}, {3}}}};
  EXPECT_EQ(found.moves, moves);
  EXPECT_EQ(found.threads, (ThreadTime{{36}, {30}}));
}

// Differences 3.5 for forward, 2.5 for update (4.5 - 2) and all-reduce (6.5 - 4).
TEST(Difference, NamesTheInstructionsAndTheirWorstSpans) {
  const Difference found = difference_of(predicted(2), measured(2));
  ASSERT_EQ(found.instructions.size(), 3u);
  EXPECT_EQ(found.instructions[0].info, static_cast<std::int32_t>(On::forward));
  EXPECT_EQ(found.instructions[0].worst_rank, Rank{1});
  EXPECT_EQ(found.instructions[0].worst_time, (Compared{{20}, {30}}));
  EXPECT_EQ(found.instructions[2].info, static_cast<std::int32_t>(On::tensor_all_reduce));
  EXPECT_EQ(found.instructions[2].time, (Compared{{8}, {13}}));
  EXPECT_EQ(found.instructions[2].worst_rank, Rank{0});  // it waited
}

TEST(Difference, ListsWhatHasNoCounterpart) {
  Timeline more = measured(1);
  Span& extra = add_span(more, 1, On::forward, 16, 18);
  extra.layer = 0;
  more.cpu.clear();
  const Difference found = difference_of(predicted(1), more);
  ASSERT_EQ(found.unmatched.size(), 1u);
  EXPECT_EQ(found.unmatched[0].only, Side::measured);
  EXPECT_EQ(found.unmatched[0].rank, Rank{1});
  EXPECT_EQ(found.unmatched[0].key.occurrence, 1);
  EXPECT_EQ(found.unmatched[0].time, Duration{2});
  EXPECT_EQ(found.threads, std::nullopt);
}

TEST(Difference, RefusesAnotherProgramAndOtherRanks) {
  Timeline other = measured(1);
  other.infos[3].size = {8192};
  EXPECT_EQ(error_of(predicted(1), other),
            "quintetInfos[3]: the two are not of one program: predicted has \"all-reduce "
            "attention\" (collective, tensor, 4096 bytes), measured \"all-reduce attention\" "
            "(collective, tensor, 8192 bytes); expected the same plan and model in both");
  other = measured(1);
  other.infos.pop_back();
  EXPECT_NE(error_of(predicted(1), other).find("measured nothing"), std::string::npos);
  other = measured(1);
  other.tracks.push_back({Rank{2}, 1, 0, "stage 0"});
  EXPECT_EQ(error_of(predicted(1), other),
            "quintetTracks: predicted are 2 ranks, measured 3; expected the same plan in both");
  other = measured(1);
  other.tracks[1].stage = 1;
  EXPECT_EQ(error_of(predicted(1), other),
            "quintetTracks: no predicted rank has stage 1, which measured rank 1 has");
  EXPECT_EQ(error_of(Timeline{}, Timeline{}), "quintetTracks: there is no rank to compare");
}

TEST(Difference, RefusesWhatItsSumsCannotHold) {
  Timeline huge = measured(1);
  huge.tracks[0].ranks = huge.tracks[1].ranks = 2'000'000'000;
  EXPECT_EQ(error_of(huge, huge), "quintetTracks: stand for more than 100 million ranks");
  huge = measured(1);
  huge.spans[0].end = {std::int64_t{1} << 61};
  EXPECT_EQ(error_of(huge, huge),
            "traceEvents: last longer than 26 days together: too long to compare");
}

// How an executor runs a collective is no difference of programs.
TEST(Difference, DetailsOfCollectivesMayDiffer) {
  Timeline other = predicted(1);
  other.infos[3].detail = "ring LL, 4 channels";
  EXPECT_EQ(difference_of(other, measured(1)).step, (Compared{{16}, {25}}));
}

TEST(DifferenceReport, AnswersFirst) {
  const Timeline one = predicted(1'000'000'000), other = quintet::measured(measured(1'000'000'000));
  const Difference found = difference_of(one, other);
  const std::string text = difference_text({"p.json", "m.json", one, other, found});
  const std::string expected =
      "Measured 25.00 ms, predicted 16.00 ms: the prediction is 36.0 % too fast.\n"
      "Where the +9.00 ms are: compute +6.00 ms, waiting for peers +1.50 ms, exposed communication "
      "+1.00 ms, idle +0.50 ms.\n"
      "Step 8, the median of 3 measured steps (0.09 ms to 0.12 ms); the ranks' clocks are known to "
      "0.000 ms.\n";
  EXPECT_EQ(text.substr(0, expected.size()), expected);
  EXPECT_NE(text.find("network.routing = \"spray\": the fabric decides\n"), std::string::npos);
  EXPECT_NE(text.find("\nRecorded 8 steps by CUPTI 13.0.1; a step takes 0.095 ms with it and 0.094 "
                      "ms without: +1.06 %.\n"),
            std::string::npos)
      << text;
  const std::string json = difference_json({"p.json", "m.json", one, other, found});
  EXPECT_NE(json.find("\"by\": \"CUPTI 13.0.1\""), std::string::npos) << json;
}

TEST(DifferenceReport, WarnsOfFilesTheWrongWayRound) {
  const Timeline one = quintet::measured(predicted(1)), other = predicted(1);
  const Difference found = difference_of(one, other);
  EXPECT_NE(difference_text({"m.json", "p.json", one, other, found})
                .find("Warning: the wrong way round? m.json was measured, p.json was predicted"),
            std::string::npos);
}

Duration total(const std::vector<DifferencePart>& parts, Duration Compared::*side) {
  Duration sum;
  for (const DifferencePart& part : parts) sum += part.time.*side;
  return sum;
}

void expect_sums(const std::vector<DifferencePart>& parts, const Compared& step) {
  EXPECT_EQ(total(parts, &Compared::predicted), step.predicted);
  EXPECT_EQ(total(parts, &Compared::measured), step.measured);
}

class RandomPairs : public testing::TestWithParam<std::uint32_t> {};

// Two timelines of the same ranks, whose spans have nothing else in common.
TEST_P(RandomPairs, EveryListSumsToTheStepExactly) {
  const Timeline one = random_timeline(GetParam(), {.tracks = 5, .end = 997});
  Timeline other = random_timeline(GetParam() + 1000, {.tracks = 5, .end = 1409});
  other.tracks = one.tracks;
  for (std::size_t i = 0; i < other.tracks.size(); ++i) other.tracks[i].host = i < 2 ? "a" : "b";
  const Difference found = difference_of(one, other);
  EXPECT_EQ(found.per_host.size(), 2u);
  EXPECT_EQ(found.step, (Compared{{997}, {1409}}));
  EXPECT_EQ(sum(found.predicted), found.step.predicted);
  EXPECT_EQ(sum(found.measured), found.step.measured);
  expect_sums(found.stack, found.step);
  expect_sums(found.layers, found.step);
  expect_sums(found.axes, found.step);
  std::vector<DifferencePart> causes;
  for (const Cause& cause : found.causes) causes.push_back({"", cause.charged});
  expect_sums(causes, found.step);
  for (const HostDifference& host : found.per_host) {
    EXPECT_EQ(sum(host.predicted), found.step.predicted);
    EXPECT_EQ(sum(host.measured), found.step.measured);
  }
  for (const RankDifference& rank : found.per_rank) {
    EXPECT_EQ(sum(rank.predicted), found.step.predicted);
    EXPECT_EQ(sum(rank.measured), found.step.measured);
  }
  std::size_t matched = 0, unmatched = found.unmatched.size();
  for (const InstructionDifference& each : found.instructions)
    matched += static_cast<std::size_t>(each.spans);
  // Every span is in a pair or alone: a pair takes two.
  EXPECT_EQ(2 * (matched - unmatched) + unmatched, one.spans.size() + other.spans.size());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPairs, testing::Range(1u, 41u),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace quintet
