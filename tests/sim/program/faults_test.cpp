#include "tests/support/small_program.h"

namespace quintet {
namespace {

using Faults = std::vector<std::string>;

// The small program with one thing changed.
template <class Change>
Faults faults_after(Change change) {
  Program program = test::small_program();
  change(program);
  return faults(program);
}

Instruction& instruction(Program& program, std::size_t body, std::size_t index) {
  return program.bodies[body].instructions[index];
}
Call& call(Program& program, std::size_t role, std::size_t index) {
  return program.roles[role].script.calls[index];
}

TEST(Faults, AreNoneInASoundProgram) {
  EXPECT_EQ(Faults{}, faults(test::small_program()));
}

TEST(Faults, FindWhatABodyGetsWrong) {
  EXPECT_EQ(Faults{"body \"work\" has no instruction"},
            faults_after([](Program& program) { program.bodies[0].instructions.clear(); }));
  EXPECT_EQ(Faults{"body \"work\" instruction 0: its lane does not exist"},
            faults_after([](Program& program) { instruction(program, 0, 0).lane = LaneId{2}; }));
  EXPECT_EQ(Faults{"body \"work\" instruction 0: its lane does not exist"},
            faults_after([](Program& program) { instruction(program, 0, 0).lane = LaneId{}; }));
  EXPECT_EQ(Faults{"body \"exchange\" instruction 1: `after` 1 is not an earlier instruction"},
            faults_after([](Program& program) { instruction(program, 3, 1).after = {1}; }));
  EXPECT_EQ(Faults{"body \"exchange\" instruction 0: `after` -1 is not an earlier instruction"},
            faults_after([](Program& program) { instruction(program, 3, 0).after = {-1}; }));
  EXPECT_EQ(Faults{"body \"exchange\" instruction 1: its communicator does not exist"},
            faults_after([](Program& program) {
              std::get<Collective>(instruction(program, 3, 1).action).communicator =
                  CommunicatorId{2};
            }));
}

TEST(Faults, FindWhatAScriptGetsWrong) {
  EXPECT_EQ(Faults{"stage 0 call 1: its body does not exist"},
            faults_after([](Program& program) { call(program, 0, 1).body = BodyId{4}; }));
  EXPECT_EQ(Faults{"stage 0 call 0: it runs its body less than once"},
            faults_after([](Program& program) { call(program, 0, 0).layers = 0; }));
  EXPECT_EQ(Faults{"stage 1 call 1: `after` 2 is not an earlier call"},
            faults_after([](Program& program) { call(program, 1, 1).after = {2}; }));
  EXPECT_EQ(Faults{"stage 0 call 0: its iterations do not get equal parts of its elements"},
            faults_after([](Program& program) {
              call(program, 0, 0).elements = {{0, 4}};
            }));
  EXPECT_EQ(Faults{"stage 0 call 1: its elements do not ascend"},
            faults_after([](Program& program) {
              call(program, 0, 1).elements = {{4, 6}, {5, 7}};
            }));
  EXPECT_EQ(Faults{"there are 1 roles for 2 pipeline stages"},
            faults_after([](Program& program) { program.roles.pop_back(); }));
}

TEST(Faults, FindALevelThatStandsAlone) {
  EXPECT_EQ(Faults{"communicator \"data\": its other level is no communicator of the other level"},
            faults_after([](Program& program) {
              program.communicators[0].level = HostLevel::inside;
              program.communicators[0].other_level = CommunicatorId{1};
            }));
}

TEST(Faults, FindMessagesThatDoNotMatch) {
  EXPECT_EQ(Faults{"stage 1 micro-batch 0: a send that no receive matches"},
            faults_after([](Program& program) {
              program.roles[1].script.calls = {call(program, 1, 0)};
              call(program, 1, 0).body = BodyId{0};
            }));
  EXPECT_EQ(Faults{"stage 1 micro-batch 0: a receive that no send matches"},
            faults_after([](Program& program) { call(program, 0, 1).body = BodyId{0}; }));
  // Another micro-batch: neither finds the other.
  EXPECT_EQ((Faults{"stage 1 micro-batch 0: a receive that no send matches",
                    "stage 1 micro-batch 1: a send that no receive matches"}),
            faults_after([](Program& program) { call(program, 0, 1).micro_batch = 1; }));
  EXPECT_EQ((Faults{"stage 1 micro-batch 0: a receive that no send matches",
                    "stage 1 micro-batch 0: a send that no receive matches"}),
            faults_after([](Program& program) {
              std::get<Send>(instruction(program, 1, 0).action).payload =
                  Payload::activation_gradient;
            }));
  EXPECT_EQ(Faults{"stage 1 micro-batch 0: a receive of another size than its send"},
            faults_after([](Program& program) {
              std::get<Send>(instruction(program, 1, 0).action).size = Bytes{65};
            }));
  // Two messages that nothing tells apart: a receive might take the wrong one.
  EXPECT_EQ(Faults{"stage 1 micro-batch 0: one message is sent 2 times"},
            faults_after([](Program& program) {
              call(program, 0, 1).layers = 2;
              call(program, 1, 0).layers = 2;
            }));
}

// Along an axis other than the pipeline the receiver is of the sender's own stage.
TEST(Faults, FollowMessagesAlongOtherAxes) {
  const auto over_data = [](Program& program, int offset) {
    program.bodies[1].instructions[0].action = Send{Axis::data, 1, Bytes{64}};
    program.bodies[2].instructions[0].action = Receive{Axis::data, offset, Bytes{64}};
    Call receive = call(program, 1, 0);
    program.roles[0].script.calls.push_back(receive);
    call(program, 1, 0).body = BodyId{0};
  };
  EXPECT_EQ(Faults{}, faults_after([&](Program& program) { over_data(program, -1); }));
  EXPECT_EQ((Faults{"stage 0 micro-batch 0: a receive that no send matches",
                    "stage 0 micro-batch 0: a send that no receive matches"}),
            faults_after([&](Program& program) { over_data(program, 1); }));
}

TEST(Faults, FindCommunicatorsThatDoNotCoverTheRanks) {
  EXPECT_EQ(Faults{"communicator \"data\": its part does not divide the data axis"},
            faults_after([](Program& program) {
              program.communicators[0].parts = {{Axis::data, 2, 2}};
            }));
  EXPECT_EQ(Faults{"communicator \"data\": its part does not divide the data axis"},
            faults_after([](Program& program) {
              program.communicators[0].parts = {{Axis::data, 2, 0}};
            }));
  EXPECT_EQ(Faults{"communicator \"data\": it has no part"},
            faults_after([](Program& program) { program.communicators[0].parts.clear(); }));
  EXPECT_EQ(Faults{"communicator \"ends\": stage 2 does not exist"},
            faults_after([](Program& program) {
              program.communicators[1].stages = {0, 2};
            }));
}

// The n-th use of a communicator is the same collective on all its members.
TEST(Faults, FindStagesThatUseACommunicatorDifferently) {
  const auto across_stages = [](Program& program) {
    std::get<Collective>(instruction(program, 3, 1).action).communicator = CommunicatorId{1};
  };
  EXPECT_EQ(Faults{}, faults_after(across_stages));
  EXPECT_EQ(
      Faults{"communicator \"ends\": stage 1 uses it otherwise than the first stage of its group"},
      faults_after([&](Program& program) {
        across_stages(program);
        call(program, 1, 2).layers = 2;
      }));
  EXPECT_EQ(Faults{"communicator \"ends\": stage 1 uses it but takes no part"},
            faults_after([&](Program& program) {
              across_stages(program);
              program.communicators[1].stages = {0};
            }));
}

}  // namespace
}  // namespace quintet
