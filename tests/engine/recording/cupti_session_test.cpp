// From CUPTI's bytes to the work of tasks: what the engine pushes comes back with the records.
#include <gtest/gtest.h>

#include "engine/recording/attribution.h"
#include "kernels/cuda/cupti/cupti_recorder.h"
#include "tests/stand_ins/fake_cupti.h"

namespace quintet::engine {
namespace {

using kernels::cuda::FakeCupti;
using std::chrono::nanoseconds;

// As the library does: a call made while a purpose is pushed has its record of it before its own.
void asked(FakeCupti& cupti, std::uint32_t call) {
  if (!cupti.purposes.empty())
    cupti.record(kernels::cuda::purpose_record(call, cupti.purposes.back()));
  cupti.record(kernels::cuda::call_record(call, 1, 2));
}

void ran(FakeCupti& cupti, std::uint32_t call, std::uint64_t start, std::uint64_t end,
         std::uint64_t node = 0) {
  CUpti_ActivityKernel10 record = kernels::cuda::kernel_record(call, start, end, "_Z4gemmPf");
  record.graphNodeId = node;
  cupti.record(record);
}

class CuptiSession : public testing::Test {
 protected:
  void SetUp() override {
    opened_ = kernels::cuda::make_cupti_recorder(kernels::cuda::fake_functions(), {8, 1024});
    ASSERT_NE(opened_.recorder, nullptr) << opened_.why_not;
  }
  kernels::ActivityRecorder* recorder() { return opened_.recorder.get(); }

  FakeCupti& cupti_ = kernels::cuda::fresh_cupti();
  kernels::OpenedRecorder opened_;
};

// Step 3: task 5 asks twice, task 2 once, and nobody once; records come in any order.
TEST_F(CuptiSession, WorkComesBackToTheTaskThatAskedForIt) {
  {
    const AskingFor step(recorder(), {3, {}});
    {
      const AskingFor task(recorder(), {3, 5});
      asked(cupti_, 1);
      asked(cupti_, 2);
    }
    asked(cupti_, 3);
    {
      const AskingFor task(recorder(), {3, 2});
      asked(cupti_, 4);
    }
  }
  asked(cupti_, 5);
  ran(cupti_, 4, 400, 450);
  ran(cupti_, 2, 200, 300);
  ran(cupti_, 5, 500, 510);
  ran(cupti_, 1, 100, 150);
  ran(cupti_, 3, 350, 360);
  const Attribution expected{
      {{2, nanoseconds(400), nanoseconds(450), nanoseconds(50), 1, "_Z4gemmPf"},
       {5, nanoseconds(100), nanoseconds(300), nanoseconds(150), 2, "_Z4gemmPf"}},
      {.pieces = 5, .of_tasks = 3, .of_no_task = 1, .of_nothing = 1}};
  EXPECT_EQ(attribute(recorder()->collect(), 3), expected);
}

// Captured in step 2, launched in steps 3 and 4 by calls 8 and 9. A node is created with each call
// and has a clone in what is launched.
TEST_F(CuptiSession, NodesOfALaunchedGraphComeBackToTheTasksThatWereCaptured) {
  {
    const AskingFor step(recorder(), {2, {}});
    for (const int task : {5, 6}) {
      const AskingFor asking(recorder(), {2, task});
      cupti_.node_created(static_cast<std::uint64_t>(task));
    }
    for (const std::uint64_t node : {5, 6}) {  // instantiation
      cupti_.node_created(node + 100);
      cupti_.node_cloned(node + 100, node);
    }
  }
  std::uint32_t call = 8;
  for (const std::uint64_t number : {3, 4}) {
    const AskingFor step(recorder(), {number, {}});
    asked(cupti_, call++);
  }
  ran(cupti_, 8, 300, 310, 106);
  ran(cupti_, 8, 320, 330, 105);
  ran(cupti_, 9, 400, 440, 105);
  const Attribution expected{
      {{5, nanoseconds(400), nanoseconds(440), nanoseconds(40), 1, "_Z4gemmPf"}},
      {.pieces = 3, .of_tasks = 1, .of_others = 2}};
  EXPECT_EQ(attribute(recorder()->collect(), 4), expected);
}

}  // namespace
}  // namespace quintet::engine
