#include "engine/nccl/nccl_plan.h"

#include <gtest/gtest.h>

#include "engine/nccl/message_routes.h"
#include "sim/parallelism/compile.h"
#include "tests/support/toy_models.h"
#include "tests/support/two_by_two.h"

namespace quintet::engine::test {
namespace {

TEST(NcclPlan, RulesAreThoseOfTheKindsThatTheProgramRuns) {
  Ccl ccl;
  ccl.rules = {{.kind = CollectiveKind::all_reduce, .algorithm = Algorithm::ring},
               {.kind = CollectiveKind::broadcast, .algorithm = Algorithm::tree},
               {.axis = Axis::tensor, .channels = 9},
               {.axis = Axis::data, .protocol = Protocol::ll128, .channels = 4}};
  const TunerRules expected{
      "data",
      {{.kind = CollectiveKind::all_reduce,
        .algorithm = Algorithm::ring,
        .protocol = Protocol::ll128,
        .channels = 4},
       {.kind = CollectiveKind::all_gather, .protocol = Protocol::ll128, .channels = 4}}};
  EXPECT_EQ(tuner_rules(two_by_two(), ccl, CommunicatorId{0}), expected);
  EXPECT_EQ(nccl_deviations(two_by_two(), ccl), std::vector<PlanDeviation>{});
}

TEST(NcclPlan, AnAlgorithmThatNcclDoesNotHaveIsSaid) {
  Ccl ccl;
  ccl.rules = {{.kind = CollectiveKind::all_gather, .algorithm = Algorithm::halving_doubling}};
  EXPECT_EQ(tuner_rules(two_by_two(), ccl, CommunicatorId{0}).rules[1],
            TunerRule{.kind = CollectiveKind::all_gather});
  EXPECT_EQ(nccl_deviations(two_by_two(), ccl),
            (std::vector<PlanDeviation>{
                {"ccl.rules: all-gather on communicator \"data\"", "halving-doubling",
                 "NCCL has no such algorithm and chooses one of its own"}}));
}

TEST(NcclPlan, ThereAreAsManyChannelsAsAnyRuleAsksForAndALimitOnlyWhereAllAsk) {
  const TunerRule free{.kind = CollectiveKind::all_gather};
  const TunerRule four{.kind = CollectiveKind::all_reduce, .channels = 4};
  const TunerRule eight{.kind = CollectiveKind::reduce_scatter, .channels = 8};
  EXPECT_EQ(channel_limits({"data", {}}), ChannelLimits{});
  EXPECT_EQ(channel_limits({"data", {free}}), ChannelLimits{});
  EXPECT_EQ(channel_limits({"data", {four, free}}), (ChannelLimits{4, std::nullopt}));
  EXPECT_EQ(channel_limits({"data", {four, eight}}), (ChannelLimits{8, 8}));
}

TEST(MessageRoutes, AreThoseOfTheRanksOwnScript) {
  const MessageRoute first{Payload::activation, Rank{0}, Rank{2}};
  const MessageRoute second{Payload::activation, Rank{1}, Rank{3}};
  EXPECT_EQ(routes_of(two_by_two(), Rank{0}), std::vector{first});
  EXPECT_EQ(routes_of(two_by_two(), Rank{2}), std::vector{first});
  EXPECT_EQ(routes_of(two_by_two(), Rank{3}), std::vector{second});
  EXPECT_EQ(text_of(second), "activation from rank 1 to rank 3");
}

TEST(MessageRoutes, AMessageFromHostMemoryIsNotNccls) {
  Program program = two_by_two();
  program.bodies[1].instructions[0].action = Send{.offset = 1, .memory = Memory::host};
  EXPECT_EQ(routes_of(program, Rank{0}), std::vector<MessageRoute>{});
}

// Also where both directions of the pipeline, and all chunks, run between the same two ranks.
TEST(MessageRoutes, EveryScheduleTakesMessagesInTheOrderInWhichTheyAreSent) {
  Model model = toy_gpt2();
  model.layers = 8;
  for (const int stages : {2, 4})
    for (const PipelineSchedule schedule :
         {PipelineSchedule::gpipe, PipelineSchedule::one_f_one_b, PipelineSchedule::interleaved,
          PipelineSchedule::zb_h1, PipelineSchedule::zb_h2}) {
      Plan plan;
      plan.parallelism.sequence_length = toy_length;
      plan.parallelism.pipeline = stages;
      plan.parallelism.micro_batches = 8;
      plan.parallelism.schedule = schedule;
      if (schedule == PipelineSchedule::interleaved) plan.parallelism.virtual_stages = 2;
      const Program program = compile(model, plan);
      EXPECT_FALSE(routes_of(program, Rank{0}).empty());
      EXPECT_EQ(order_problem(program), std::nullopt) << name_of(schedule) << ", " << stages;
    }
}

TEST(MessageRoutes, OtherOrdersOfSendingAndReceivingAreRefused) {
  EXPECT_EQ(order_problem(two_by_two()), std::nullopt);
  Program swapped = two_by_two();
  std::swap(swapped.roles[1].script.calls[0], swapped.roles[1].script.calls[1]);
  EXPECT_EQ(order_problem(swapped),
            (Error{"activation from rank 0 to rank 2",
                   "message 0 is sent as micro-batch 0 of chunk 0 and received as micro-batch 1 of "
                   "chunk 0; NCCL needs one order"}));
  Program deaf = two_by_two();
  deaf.roles[1].script.calls.erase(deaf.roles[1].script.calls.begin() + 1);
  EXPECT_EQ(order_problem(deaf)->what,
            "message 1 is sent as micro-batch 1 of chunk 0 and received as nothing; NCCL needs one "
            "order");
}

}  // namespace
}  // namespace quintet::engine::test
