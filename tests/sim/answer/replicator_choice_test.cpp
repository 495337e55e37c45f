// The rule that chooses a replicator, and the file that its curves come from.
#include "sim/training_run/replicator_choice.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

LossCurve curve(const std::string& name, ReplicatorKind kind, std::vector<double> losses) {
  LossCurve made{name, Optimizer::sgd, Clipping::none, {kind}, {}, std::move(losses)};
  for (std::size_t at = 1; at <= made.losses.size(); ++at)
    made.steps.push_back(10 * static_cast<int>(at));
  return made;
}

const LossCurves curves{"a model",
                        "made up",
                        {curve("full", ReplicatorKind::full, {4, 3, 2}),
                         curve("demo", ReplicatorKind::demo, {4, 3, 2.5, 2}),
                         curve("random", ReplicatorKind::random, {4, 3.5, 3, 2.5, 2, 1.5}),
                         curve("none", ReplicatorKind::none, {4, 3.9})}};

TEST(LossCurve, IsCrossedBetweenTwoPoints) {
  // 3 after 20 steps, 2 after 30: a quarter of the way back from there.
  EXPECT_EQ(steps_to(curves.curves[0], 2.25), 27.5);
  EXPECT_EQ(steps_to(curves.curves[0], 2), 30);
  EXPECT_EQ(steps_to(curves.curves[0], 9), 10);
  EXPECT_EQ(steps_to(curves.curves[0], 1.99), std::nullopt);
}

// What is to be reached is not the best of all, but what all gradients reach.
TEST(LossCurves, AreHeldToThatOfAllGradients) {
  EXPECT_DOUBLE_EQ(target_loss(curves, 0.02), 2.04);
  LossCurves without = curves;
  without.curves.erase(without.curves.begin());
  EXPECT_DOUBLE_EQ(target_loss(without, 0), 1.5);
}

std::vector<std::string> order(const std::vector<std::optional<Seconds>>& steps) {
  std::vector<std::string> names;
  for (const RatedReplicator& each : rated(curves, steps, 2))
    names.push_back(curves.curves[static_cast<std::size_t>(each.curve)].name);
  return names;
}

std::vector<std::optional<Seconds>> on_link(double bytes_per_second) {
  // 1 s of computing; 100, 10, 1 and 0 bytes a step.
  std::vector<std::optional<Seconds>> steps;
  for (const double bytes : {100.0, 10.0, 1.0, 0.0})
    steps.emplace_back(Seconds{1 + bytes / bytes_per_second});
  return steps;
}

// To a loss of 2 they take 30, 40, 50 steps and for ever. A fast link: 30 x 1, 40 x 1, 50 x 1 s.
// 40 bytes/s: 30 x 3.5, 40 x 1.25, 50 x 1.025 s. 5 bytes/s: 30 x 21, 40 x 3, 50 x 1.2 s.
TEST(Replicators, AreChosenByTheLink) {
  EXPECT_EQ(order(on_link(1e9)), (std::vector<std::string>{"full", "demo", "random", "none"}));
  EXPECT_EQ(order(on_link(40)), (std::vector<std::string>{"demo", "random", "full", "none"}));
  EXPECT_EQ(order(on_link(5)), (std::vector<std::string>{"random", "demo", "full", "none"}));
}

TEST(Replicators, WhosePlansAreImpossibleComeLast) {
  std::vector<std::optional<Seconds>> steps = on_link(1e9);
  steps[0] = std::nullopt;
  const std::vector<RatedReplicator> rows = rated(curves, steps, 2);
  EXPECT_EQ(rows[0].curve, 1);
  EXPECT_EQ(rows[0].time, Seconds{40 * (1 + 1e-8)});
  EXPECT_EQ(rows[2], (RatedReplicator{0, std::nullopt, 30, std::nullopt}));
}

std::string error_of(const std::string& list) {
  const Result<LossCurves> read =
      parse_loss_curves(R"({"name": "n", "curves": )" + list + "}", "losses.json");
  return read ? "none" : read.error().text();
}

TEST(LossCurveFile, IsRead) {
  const Result<LossCurves> read = parse_loss_curves(
      R"({"name": "n", "curves": [{"name": "a", "optimizer": "sgd",
          "clipping": "none", "replicator": {"kind": "demo", "top_k": 4}, "steps": [1, 5], "losses": [3, 2.5]}]})",
      "losses.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->curves, (std::vector<LossCurve>{{"a",
                                                   Optimizer::sgd,
                                                   Clipping::none,
                                                   {.kind = ReplicatorKind::demo, .top_k = 4},
                                                   {1, 5},
                                                   {3, 2.5}}}));
}

TEST(LossCurveFile, SaysWhatIsWrongWhere) {
  const std::string head = R"([{"name": "a", "optimizer": "sgd", "replicator": )";
  EXPECT_EQ(error_of("[]"), "losses.json: curves: expected one or more, found none");
  EXPECT_EQ(error_of(head + R"({"kind": "random"}, "steps": [5, 5], "losses": [3, 2]}])"),
            "losses.json: curves[0]: expected ascending steps, found 5 behind 5");
  EXPECT_EQ(error_of(head + R"({"kind": "random"}, "steps": [5], "losses": [3, 2]}])"),
            "losses.json: curves[0]: expected as many losses as steps, found 2 and 1");
  EXPECT_EQ(error_of(head + R"({"kind": "random"}, "steps": [5], "losses": [-3]}])"),
            "losses.json: curves[0]: expected losses above 0, found -3");
  const std::string word = error_of(head + R"({"kind": "rondom"}, "steps": [5], "losses": [3]}])");
  EXPECT_NE(word.find("losses.json: curves[0].replicator.kind"), std::string::npos) << word;
  EXPECT_NE(word.find("random"), std::string::npos) << word;
}

}  // namespace
}  // namespace quintet
