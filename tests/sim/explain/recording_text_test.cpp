#include "sim/explain/recording_text.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

using Lines = std::vector<std::string>;

TEST(RecordingText, SaysWhatItCostsAndWhatIsMissing) {
  const Recording recording{.by = "CUPTI 13.0.1",
                            .steps_with = 8,
                            .steps_without = 7,
                            .with = {102'000'000'000},
                            .without = {100'000'000'000},
                            .cost = {1'234'000'000},
                            .pieces = 1000,
                            .in_spans = 990,
                            .lost = 4};
  EXPECT_EQ(recording_lines(recording),
            (Lines{"Recorded 8 steps by CUPTI 13.0.1; a step takes 102.000 ms with it and 100.000 "
                   "ms without: +2.00 %.",
                   "By its own records it took 1.234 ms of the host's threads in those steps.",
                   "Of 1000 kernels, copies and fills, 990 belong to instructions.",
                   "Warning: 4 of them were lost: there was no room for them, or when or for what "
                   "they ran is not known."}));
}

TEST(RecordingText, SaysWhyItIsNotWhatWasAskedForAndWhatIsNotKnown) {
  const Recording recording{.by = "CUDA events",
                            .instead = "CUPTI cannot be used: another tool has taken it",
                            .steps_with = 3,
                            .with = {1'000}};
  EXPECT_EQ(recording_lines(recording),
            (Lines{"Recorded 3 steps by CUDA events; what that costs is not known, since too few "
                   "steps ran.",
                   "Not recorded as was asked for: CUPTI cannot be used: another tool has taken "
                   "it."}));
}

}  // namespace
}  // namespace quintet
