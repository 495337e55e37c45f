#include "sim/topology/faults/fault_file.h"

#include <gtest/gtest.h>

#include "sim/topology/faults/fault_clock.h"
#include "sim/topology/faults/machine_state.h"
#include "tests/support/shipped.h"
#include "tests/support/small_worlds.h"

namespace quintet {
namespace {

using namespace literals;

std::string file_of(const std::string& events) {
  return R"({"name": "test", "events": [)" + events + "]}";
}

FaultPlan faults(const std::string& events) {
  const Result<FaultPlan> read = parse_faults(file_of(events), "f.json");
  EXPECT_TRUE(read) << (read ? "" : read.error().text());
  return read ? *read : FaultPlan{};
}

std::string complaint(const std::string& events) {
  const Result<FaultPlan> read = parse_faults(file_of(events), "f.json");
  return read ? "" : read.error().text();
}

const std::string slow = R"({"what": "slow", "part": "host0/nic0", "share": 0.25, "step": 5)";
const std::string failed = R"({"what": "fail", "part": "leaf0-spine1", "step": 5)";

TEST(FaultFile, SaysWhatIsWrongFromWhenToWhen) {
  const FaultPlan plan =
      faults(slow + R"(, "time": "30 ms", "until_step": 9}, )" +
             R"({"what": "delay", "part": "leaf0", "by": "20 ms", "time": "1.5 s"})");
  ASSERT_EQ(plan.faults.size(), 2u);
  const Fault first{FaultKind::slow, "host0/nic0", -1, 0.25, {}, {5, 30_ms}, RunMoment{9, {}}};
  EXPECT_EQ(plan.faults[0], first);
  const Fault second{FaultKind::delay, "leaf0", -1, 1, 20_ms, {std::nullopt, 1.5_s}, {}};
  EXPECT_EQ(plan.faults[1], second);
  EXPECT_EQ(text(first), "host0/nic0 at 25 % of its rate");
}

TEST(FaultFile, EndsWhatComesBack) {
  const FaultPlan plan =
      faults(failed + R"(}, {"what": "back", "part": "spine1-leaf0", "step": 8})");
  ASSERT_EQ(plan.faults.size(), 1u);
  EXPECT_EQ(plan.faults[0].end, (RunMoment{8, {}}));
}

// What is wrong, and a piece of what is said of it.
struct Wrong {
  const char* name;
  std::string events, said;
};
class WrongFaultFile : public testing::TestWithParam<Wrong> {};

TEST_P(WrongFaultFile, IsRefusedWithPlaceAndRemedy) {
  const std::string said = complaint(GetParam().events);
  EXPECT_NE(said.find(GetParam().said), std::string::npos) << said;
  EXPECT_TRUE(said.starts_with("f.json: ")) << said;
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongFaultFile,
    testing::Values(
        Wrong{"word", R"({"what": "slwo", "part": "a", "step": 1})", "slow"},
        Wrong{"key", slow + R"(, "untill": 9})", "unknown key"},
        Wrong{"share", R"({"what": "slow", "part": "a", "share": 0, "step": 1})", "has failed"},
        Wrong{"share_of_fail", failed + R"(, "share": 0.5})", "events[0].share"},
        Wrong{"no_delay", R"({"what": "delay", "part": "a", "step": 1})", "events[0].by"},
        Wrong{"bare_delay", R"({"what": "delay", "part": "a", "by": 5, "step": 1})", "1.2 us"},
        Wrong{"no_moment", R"({"what": "fail", "part": "a"})", "a step or a time"},
        Wrong{"negative_time", R"({"what": "fail", "part": "a", "time": "-1 s"})", "time"},
        Wrong{"step_zero", R"({"what": "fail", "part": "a", "step": 0})", "step"},
        Wrong{"part_and_rank",
              R"({"what": "slow", "part": "a", "rank": 1, "share": 0.5, "step": 1})",
              "either a part"},
        Wrong{"neither", R"({"what": "slow", "share": 0.5, "step": 1})", "either a part"},
        Wrong{"rank_fails", R"({"what": "fail", "rank": 1, "step": 1})", "for a rank"},
        Wrong{"end_first", slow + R"(, "until_step": 5})", "an end after the begin"},
        Wrong{"end_by_time", slow + R"(, "until_time": "5 s"})", "by a step or by time alone"},
        Wrong{"never_failed", R"({"what": "back", "part": "leaf0", "step": 3})",
              "nothing is wrong with it then"},
        Wrong{"back_before", failed + R"(}, {"what": "back", "part": "leaf0-spine1", "step": 5})",
              "nothing is wrong with it then"},
        Wrong{"twice", slow + "}, " + slow + "}", "but events[0] says"},
        Wrong{"dead_and_slow", slow + R"(}, {"what": "fail", "part": "host0/nic0", "step": 7})",
              "but events[0] says"},
        Wrong{"two_clocks",
              slow + R"(}, {"what": "slow", "part": "host0/nic0", "share": 0.5, "time": "1 s"})",
              "by step and events by time alone"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(FaultFile, MayBeSlowAndLateAtOnceAndAgainLater) {
  EXPECT_EQ(complaint(slow + R"(, "until_step": 7}, )" +
                      R"({"what": "delay", "part": "host0/nic0", "by": "1 ms", "step": 6}, )" +
                      R"({"what": "slow", "part": "host0/nic0", "share": 0.5, "step": 7})"),
            "");
}

// Steps of 10 s: step 3 begins at 20, and 25 ms later the cable is late, until 21 s.
TEST(FaultClock, KnowsTimesInAStepWhenItBegins) {
  const FaultPlan plan = faults(
      R"({"what": "delay", "part": "a", "by": "1 ms", "step": 3, "time": "25 ms", "until_step": 4}, )"
      R"({"what": "fail", "part": "b", "time": "21 s"})");
  FaultClock clock(plan.faults);
  clock.begin_step(2, 10_s);
  EXPECT_EQ(clock.known(), (std::vector<FaultTurn>{{1, true, 21_s}}));
  clock.begin_step(3, 20_s);
  EXPECT_EQ(clock.known(), (std::vector<FaultTurn>{{0, true, 20.025_s}, {1, true, 21_s}}));
  EXPECT_EQ(clock.advance(20.5_s).size(), 1u);
  EXPECT_EQ(clock.holding(), (std::vector<bool>{true, false}));
  clock.begin_step(4, 30_s);
  EXPECT_EQ(clock.advance(30_s), (std::vector<FaultTurn>{{1, true, 21_s}, {0, false, 30_s}}));
  EXPECT_EQ(clock.now_wrong(), (std::vector<Fault>{plan.faults[1]}));
}

Fault fails(const std::string& part) {
  Fault fault;
  fault.kind = FaultKind::fail;
  fault.part = part;
  return fault;
}

// A fat tree: what crosses a trunk has others; a host's only NIC has none.
TEST(MachineState, FindsAnotherWayWhereThereIsOne) {
  const Topology whole = test::shipped_topology("dgx-h100-1024", 16);
  std::string trunk;
  for (const Link& link : whole.links)
    if (trunk.empty() && whole.device(link.from).kind == DeviceKind::network_switch &&
        whole.device(link.to).kind == DeviceKind::network_switch)
      trunk = whole.device(link.from).name + "-" + whole.device(link.to).name;
  if (trunk.empty()) GTEST_SKIP() << "the machine has one tier";
  const Fault fault = fails(trunk);
  const auto state = machine_state(whole, {&fault, 1}, 128);
  ASSERT_TRUE(state) << state.error().text();
  EXPECT_TRUE(state->dead.empty());
  ASSERT_EQ(state->whole_link.size(), state->topology.links.size());
  EXPECT_LT(state->topology.links.size(), whole.links.size());
  for (std::size_t link = 0; link < state->whole_link.size(); ++link)
    EXPECT_EQ(state->topology.links[link], whole.link(state->whole_link[link]));
}

TEST(MachineState, KeepsDeadWhatHasNoOtherWay) {
  const Topology whole = test::shipped_topology("box-4-1gbit");
  const Fault fault = fails("host1/nic0");
  const auto state = machine_state(whole, {&fault, 1}, 4);
  ASSERT_TRUE(state) << state.error().text();
  EXPECT_EQ(state->dead.size(), 2u);  // there and back
  EXPECT_EQ(state->topology.links, whole.links);
}

TEST(MachineState, LeavesARunningJobOnItsNicUnlessItsHostResends) {
  const Topology whole = test::shipped_topology("dgx-h100-1024", 2);
  const Fault fault = fails("host0/nic3");
  EXPECT_EQ(machine_state(whole, {&fault, 1}, 16)->dead.size(), 2u);
  EXPECT_TRUE(machine_state(whole, {&fault, 1}, 16, NicLoss::next_nic)->dead.empty());
}

TEST(MachineState, NamesWhatLooksLikeAWrongName) {
  FaultPlan plan = faults(R"({"what": "fail", "part": "host1/nick0", "step": 1})");
  const auto error = misnamed(test::shipped_topology("box-4-1gbit"), plan, 4);
  ASSERT_TRUE(error);
  EXPECT_NE(error->text().find("host1/nic0"), std::string::npos) << error->text();
  plan = faults(R"({"what": "slow", "rank": 4, "share": 0.5, "step": 1})");
  EXPECT_NE(misnamed(test::shipped_topology("box-4-1gbit"), plan, 4)->text().find("0 to 3"),
            std::string::npos);
}

TEST(LinkConditions, AreThoseOfTheLinksThatAreNamed) {
  const Topology whole = test::shipped_topology("box-4-1gbit");
  const FaultPlan plan =
      faults(slow + R"(}, {"what": "delay", "part": "host0/nic0", "by": "20 ms", "step": 5})");
  const auto conditions = link_conditions(whole, plan.faults);
  ASSERT_TRUE(conditions);
  int changed = 0;
  for (std::size_t link = 0; link < whole.links.size(); ++link) {
    const LinkCondition& now = (*conditions)[link];
    if (now.rate == whole.links[link].rate()) continue;
    ++changed;
    EXPECT_EQ(now.rate, 0.25 * whole.links[link].rate());
    EXPECT_EQ(now.latency, whole.links[link].latency + 20_ms);
  }
  EXPECT_EQ(changed, 2);  // the NIC's cable, both ways
}

}  // namespace
}  // namespace quintet
