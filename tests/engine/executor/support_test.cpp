// What the executor refuses before it starts.
#include <gtest/gtest.h>

#include "engine/executor/support.h"
#include "tests/support/toy_steps.h"

namespace quintet::engine::test {
namespace {

std::string refusal(const Toy& toy) {
  const Curve curve = train(toy, 1);
  return curve.error ? curve.error->text() : "none";
}

TEST(Support, Fp16IsRefusedWithWhatIsAccepted) {
  Toy half = toy(toy_gpt2());
  half.plan.parallelism.compute_type = DataType::fp16;
  EXPECT_EQ(refusal(half),
            "plan: parallelism.compute_type: found fp16, which the kernels here do not compute in; "
            "accepted are fp32 and bf16, and fp8 for products");
}

TEST(Support, AnotherRuleThanThePlansIsRefused) {
  Toy lamb = toy(toy_gpt2());
  lamb.plan.parallelism.optimizer = Optimizer::lamb;
  EXPECT_EQ(refusal(lamb),
            "plan: parallelism.optimizer: is not the rule that the executor was given");
}

TEST(Support, TwoCommunicatorsOfOnePurposeAreRefusedUnlessTheyAreLevels) {
  Toy split = toy(toy_llama());
  split.plan.parallelism.data = 4;
  split.plan.parallelism.micro_batches = toy_sequences / 4;
  Program program = program_of(split);
  program.communicators.push_back({"data across", {{Axis::data, 2, 2}}, {}});
  for (Body& body : program.bodies) {
    if (body.name != "gradient exchange") continue;
    Instruction across = body.instructions.front();
    std::get<Collective>(across.action).communicator =
        id_at<CommunicatorId>(program.communicators.size() - 1);
    body.instructions.push_back(across);
  }
  LocalWorld world(program);
  const RankCurve curve = train_rank(split, program, Rank{0}, world.rank(Rank{0}), 1);
  ASSERT_TRUE(curve.error);
  EXPECT_EQ(curve.error->text(),
            "program: gradient exchange: several collectives of one purpose that are no phases of "
            "one are not executed");
}

// Every instruction of the program leaves one span, lanes keep their order, nothing overlaps in a
// lane.
TEST(Support, SpansAreThoseOfTheProgram) {
  Toy split = toy(toy_llama());
  split.plan.parallelism.data = 2;
  split.plan.parallelism.pipeline = 2;
  split.plan.parallelism.micro_batches = toy_sequences / 2;
  const Program program = program_of(split);
  const Curve curve = train(split, 2);
  ASSERT_FALSE(curve.error) << curve.error->text();
  ASSERT_EQ(curve.last_spans.size(), 4u);
  std::vector<const Instruction*> infos;
  for (const Body& body : program.bodies)
    for (const Instruction& instruction : body.instructions) infos.push_back(&instruction);
  for (int rank = 0; rank < 4; ++rank) {
    const Role& role = program.roles[role_of(program.grid, Rank{rank}).index()];
    std::size_t instructions = 0;
    for (const Call& call : role.script.calls)
      instructions += static_cast<std::size_t>(call.layers) *
                      program.bodies[call.body.index()].instructions.size();
    const std::vector<Span>& spans = curve.last_spans[static_cast<std::size_t>(rank)];
    EXPECT_EQ(spans.size(), instructions);
    std::vector<Instant> free(program.lanes.size());
    for (const Span& span : spans) {
      const std::size_t lane = infos[static_cast<std::size_t>(span.info)]->lane.index();
      EXPECT_LE(span.start, span.moving);
      EXPECT_LE(span.moving, span.end);
      EXPECT_LE(free[lane], span.start);
      free[lane] = span.end;
    }
  }
}

}  // namespace
}  // namespace quintet::engine::test
