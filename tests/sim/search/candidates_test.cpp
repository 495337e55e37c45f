#include "sim/search/candidates.h"

#include <gtest/gtest.h>

#include <map>

#include "sim/plan/problems/problems.h"
#include "sim/search/drafting.h"
#include "sim/search/search_fields.h"
#include "sim/search/walked_evaluator.h"
#include "tests/support/search_problems.h"
#include "tests/support/shipped.h"

namespace quintet::test {
namespace {

Result<Candidates> candidates_of(const Model& model, const Topology& topology,
                                 const CostTable& costs, const std::vector<AskedDimension>& asked) {
  return Candidates::of(model, space_of(asked, 32, 1024), {{topology, costs, {}, "one"}});
}

TEST(SearchNumbering, ANumberSaysItsChoicesAndTheyTheNumber) {
  const Space space = space_of({{"parallelism.tensor", {"1", "2", "4"}},
                                {"parallelism.micro_batch", {"1", "2"}},
                                {"network.routing", {"ecmp", "spray"}},
                                {"ccl.bucket", {"0 B", "25 MB", "1 GB"}}},
                               32, 1024);
  const Numbering numbering(space, 5);
  ASSERT_EQ(numbering.size(), 5U * 3 * 2 * 2 * 3);
  for (std::uint64_t number = 0; number < numbering.size(); ++number)
    EXPECT_EQ(numbering.number_of(numbering.indices_of(number)), number);
}

TEST(SearchCandidates, GroupsHoldEveryNumberThatIsACandidateOnce) {
  for (std::uint64_t seed = 300; seed < 306; ++seed) {
    const auto problem = search_problem(seed, 2000);
    const Candidates& all = *problem->candidates;
    std::map<std::uint64_t, Plan> listed, asked;
    for (const CandidateGroup& group : all.groups())
      for (std::uint64_t leaf = 0; leaf < group.leaves; ++leaf) {
        Draft draft = all.draft_of(group);
        all.take_leaf(group, leaf, draft);
        EXPECT_TRUE(listed.emplace(all.number_of(group, leaf), draft.plan).second);
        EXPECT_EQ(problems(draft.plan, all.model(), all.machines()[group.machine].topology),
                  std::vector<Problem>{});
      }
    const Numbering numbering(all.space(), all.machines().size());
    for (std::uint64_t number = 0; number < numbering.size(); ++number)
      if (const Result<Draft> draft = all.draft_of(number)) asked.emplace(number, draft->plan);
    EXPECT_EQ(listed, asked);
    EXPECT_EQ(listed.size(), all.count());
  }
}

// A leaf's decisions do not stay in the draft when another leaf is taken.
TEST(SearchCandidates, LeavesLeaveNothingBehind) {
  const auto problem = search_problem(301, 2000);
  const Candidates& all = *problem->candidates;
  const CandidateGroup& group = all.groups().front();
  Draft kept = all.draft_of(group);
  for (std::uint64_t leaf = group.leaves; leaf-- > 0;) {
    Draft fresh = all.draft_of(group);
    all.take_leaf(group, leaf, fresh);
    all.take_leaf(group, leaf, kept);
    EXPECT_EQ(kept.plan, fresh.plan);
  }
}

// Decisions as they were chosen, whether or not they have an effect.
Draft raw_draft(const Candidates& all, const Numbering& numbering, std::uint64_t number) {
  const CandidateIndices indices = numbering.indices_of(number);
  Draft draft = all.space().base;
  draft.machine = size_of(all.machines()[indices.machine].topology);
  for (int part = 0; part < search_part_count; ++part) {
    const PartSpace space = part_of(all.space(), static_cast<SearchPart>(part));
    const ChoiceNumbers chosen = digits_of(space, indices.parts[static_cast<std::size_t>(part)]);
    for (std::size_t i = 0; i < chosen.size(); ++i)
      space.dimensions[i]->field->take(draft, space.dimensions[i]->choices[chosen[i]].sample);
  }
  Parallelism& parallelism = draft.plan.parallelism;
  parallelism.data = std::max(1, draft.machine.ranks / (parallelism.tensor * parallelism.pipeline));
  parallelism.micro_batches = static_cast<int>(
      std::max<std::int64_t>(1, draft.global_batch / parallelism.data / parallelism.micro_batch));
  return draft;
}

// The candidate that stands for a number that is passed over: the choices that have no effect put
// back to their first, one after the other.
std::optional<Plan> stands_for(const Candidates& all, const Numbering& numbering,
                               std::uint64_t number) {
  if (const Result<Draft> draft = all.draft_of(number)) return draft->plan;
  CandidateIndices indices = numbering.indices_of(number);
  const Draft raw = raw_draft(all, numbering, number);
  for (int part = 0; part < search_part_count; ++part) {
    const PartSpace space = part_of(all.space(), static_cast<SearchPart>(part));
    auto& index = indices.parts[static_cast<std::size_t>(part)];
    ChoiceNumbers chosen = digits_of(space, index);
    for (std::size_t i = 0; i < chosen.size(); ++i)
      if (space.dimensions[i]->field->matters && !space.dimensions[i]->field->matters(raw))
        chosen[i] = 0;
    index = index_of(space, chosen);
  }
  const Result<Draft> draft = all.draft_of(numbering.number_of(indices));
  return draft ? std::optional(draft->plan) : std::nullopt;
}

// Every plan that is passed over takes the same time, to the picosecond, as the one that stands for
// it.
TEST(SearchCandidates, WhatIsPassedOverHasNoEffect) {
  int compared = 0;
  for (std::uint64_t seed = 400; seed < 412; ++seed) {
    const auto problem = search_problem(seed, 300);
    const Candidates& all = *problem->candidates;
    const Numbering numbering(all.space(), all.machines().size());
    for (std::uint64_t number = 0;
         number < numbering.size() && compared < 20 * (1 + int(seed) - 400); ++number) {
      if (all.draft_of(number)) continue;
      const SearchMachine& machine =
          all.machines()[static_cast<std::size_t>(all.machine_of(number))];
      const Draft raw = raw_draft(all, numbering, number);
      if (!problems(raw.plan, all.model(), machine.topology).empty()) continue;
      const std::optional<Plan> other = stands_for(all, numbering, number);
      if (!other) continue;  // of two orders that are alike another one stands for it
      ++compared;
      KnownWays ways(machine.topology);
      const Result<StepEstimate> one = walked(all.model(), raw.plan, machine, ways);
      const Result<StepEstimate> two = walked(all.model(), *other, machine, ways);
      ASSERT_TRUE(one && two);
      EXPECT_EQ(*one, *two) << "seed " << seed << ", number " << number << ": " << problem->name;
    }
  }
  EXPECT_GT(compared, 50);
}

TEST(SearchCandidates, OrdersThatDifferInAxesOfOneRankAreOne) {
  const Model model = shipped_model("gpt2");
  const Topology topology = shipped_topology("dgx-h100", 1);
  const CostTable costs = shipped_costs("h100-sxm-80gb");
  // Tensor 1, pipeline 1: all orders have one axis, data. Tensor 2: data inside or outside of it.
  const auto all = candidates_of(
      model, topology, costs,
      {{"parallelism.tensor", {"1", "2"}},
       {"parallelism.order",
        {"[tensor,context,expert,data,pipeline]", "[tensor,context,expert,pipeline,data]",
         "[data,tensor,context,expert,pipeline]"}}});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->count(), 3U);
}

TEST(SearchCandidates, ASpaceOfNothingSaysWhy) {
  const Model model = shipped_model("gpt2");
  const Topology topology = shipped_topology("dgx-h100", 1);
  const CostTable costs = shipped_costs("h100-sxm-80gb");
  const auto none = candidates_of(model, topology, costs, {{"parallelism.tensor", {"8"}}});
  ASSERT_FALSE(none);  // 12 heads on 8 ranks
  EXPECT_NE(none.error().what.find("12 attention heads cannot be split over 8 ranks"),
            std::string::npos)
      << none.error().what;
}

}  // namespace
}  // namespace quintet::test
