#include "engine/command/last_words.h"

#include <gtest/gtest.h>

#include "engine/command/run_progress.h"
#include "sim/usage/out_of_memory.h"

namespace quintet::engine {
namespace {

TEST(ShellLine, IsReadBackByAShell) {
  EXPECT_EQ(shell_line({"run", "my plan", "a'b", "", "--set", "a.b=1,2"}),
            "run 'my plan' 'a'\\''b' '' --set a.b=1,2");
}

// 3,661 s are an hour, a minute and a second.
TEST(TimeLeft, HasTwoUnitsAtMost) {
  using Seconds = std::chrono::duration<double>;
  EXPECT_EQ(time_left(2, 9, Seconds(59.4)), "step 2 of 9, 59 s left");
  EXPECT_EQ(time_left(2, 9, Seconds(61)), "step 2 of 9, 1 min 1 s left");
  EXPECT_EQ(time_left(2, 9, Seconds(3661)), "step 2 of 9, 1 h 1 min left");
}

TEST(OutOfMemory, SaysWhatWasMadeAndWhatWouldNeedLess) {
  testing::internal::CaptureStderr();
  const ExitCode code = guarded([]() -> ExitCode {
    return making("a plan", "use a smaller one", [] {
      return making("its parts", "use fewer", []() -> ExitCode { throw std::bad_alloc(); });
    });
  });
  EXPECT_EQ(code, ExitCode::answer_is_no);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "quintet: out of memory: there is none left for its parts; use fewer\n");
}

TEST(OutOfMemory, IsToldFromOtherFailures) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(guarded([]() -> ExitCode { throw std::runtime_error("no"); }), ExitCode::wrong_input);
  EXPECT_EQ(guarded([]() -> ExitCode { throw std::bad_alloc(); }), ExitCode::answer_is_no);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "quintet: no\nquintet: out of memory: there is none left for what was asked\n");
}

}  // namespace
}  // namespace quintet::engine
