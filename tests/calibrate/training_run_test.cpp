// What a run leaves, and when it counts again.
#include "calibrate/training_run.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/engine/temporary_folder.h"

namespace quintet::calibrate {
namespace {

using namespace literals;

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

TrainingRun run_in(const std::filesystem::path& folder) {
  TrainingRun run;
  run.model = (folder / "config.json").string();
  run.plan = (folder / "plan.json").string();
  run.topology = "box";
  run.data = "text";
  run.kernels = "fast";
  run.steps = 3;
  run.files = folder / "run";
  return run;
}

// As measure_steps() writes it.
void leave(const TrainingRun& run) {
  write(run.model, R"({"n_layer": 2})");
  write(run.plan, R"({"tensor": 2})");
  write(timeline_file(run), "{}");
  write(run.files.string() + ".steps.json",
        R"({"run": {"model": {"n_layer": 2}, "plan": {"tensor": 2}, "topology": "box",
            "data": "text", "kernels": "fast", "steps": 3, "warm_up": 3, "shaped": true},
            "others_share": 0.125, "steps_s": [0.5, 0.75, 1.5]})");
}

TEST(TrainingRun, IsTakenOverWhereNothingDiffers) {
  const TemporaryFolder folder;
  const TrainingRun run = run_in(folder.path());
  EXPECT_FALSE(kept_steps(run));
  leave(run);
  EXPECT_EQ(kept_steps(run), (MeasuredSteps{{500_ms, 750_ms, 1500_ms}, 0.125}));
  EXPECT_EQ(median(*kept_steps(run)), 750_ms);
  TrainingRun other = run;
  other.steps = 4;
  EXPECT_FALSE(kept_steps(other));
  write(run.model, R"({"n_layer": 3})");
  EXPECT_FALSE(kept_steps(run));
}

TEST(TrainingRun, CutShortIsNot) {
  const TemporaryFolder folder;
  const TrainingRun run = run_in(folder.path());
  leave(run);
  write(run.files.string() + ".steps.json", R"({"run": {"model": )");
  EXPECT_FALSE(kept_steps(run));
  leave(run);
  std::filesystem::remove(timeline_file(run));
  EXPECT_FALSE(kept_steps(run));
}

}  // namespace
}  // namespace quintet::calibrate
