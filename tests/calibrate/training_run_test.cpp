// What a run leaves, and when it counts again.
#include "calibrate/probes/training_run.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.h"

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

TrainingRun gpu_run_in(const std::filesystem::path& folder) {
  TrainingRun run = run_in(folder);
  run.processor = Processor::gpu;
  return run;
}

// As `quintet run --device gpu --log` writes it: step s takes 10 s seconds.
void write_log(const std::filesystem::path& file, int steps, const std::string& summary) {
  std::string text = "{\"record\":\"run\",\"steps\":99}\n";
  for (int step = 1; step <= steps; ++step)
    text += "{\"record\":\"step\",\"step\":" + std::to_string(step) +
            ",\"step_s\":" + std::to_string(10 * step) + "}\n";
  write(file, text + summary + "\n");
}

const std::string gpu_summary = R"({"record":"summary","steps":11,
"memory":[{"rank":0,"peak_bytes":900,"predicted_bytes":1000},
{"rank":1,"peak_bytes":1100,"predicted_bytes":1050}],
"recording":{"by":"CUPTI 13.0.1","instead":"","steps_with":3,"steps_without":3,
"with":2040000000,"without":2000000000,"cost":0,"pieces":9,"in_spans":9,"lost":0}})";

std::string one_line(std::string text) {
  std::erase(text, '\n');
  return text;
}

// Asked for 4 + 2 x 3 + 1 = 11 steps the engine records (11 - 4) / 2 = 3 from the fifth on, 5 to 7;
// the eighth pays for the end of that: 9, 10 and 11 count.
TEST(TrainingRun, OnAGpuCountsTheStepsThatWereNotRecorded) {
  const TemporaryFolder folder;
  const TrainingRun run = gpu_run_in(folder.path());
  EXPECT_EQ(steps_asked(run), 11);
  write_log(folder.path() / "log", 11, one_line(gpu_summary));
  const Result<MeasuredSteps> measured = steps_in_log(folder.path() / "log", run);
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_EQ(measured->steps, (std::vector<Seconds>{90_s, 100_s, 110_s}));
  ASSERT_TRUE(measured->device);
  EXPECT_EQ(measured->device->recorded_by, "CUPTI 13.0.1");
  EXPECT_NEAR(measured->device->recording_cost, 0.02, 1e-12);  // 2.04 / 2.00 ms
  EXPECT_EQ(measured->device->memory, 1100_B);                 // of the fullest GPU
  EXPECT_EQ(measured->device->predicted_memory, 1050_B);
}

TEST(TrainingRun, OnCoresCountsTheStepsAfterTheWarmUp) {
  const TemporaryFolder folder;
  const TrainingRun run = run_in(folder.path());  // 3 after 3
  write_log(folder.path() / "log", 6, "");
  const Result<MeasuredSteps> measured = steps_in_log(folder.path() / "log", run);
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_EQ(measured->steps, (std::vector<Seconds>{40_s, 50_s, 60_s}));
  EXPECT_FALSE(measured->device);
}

TEST(TrainingRun, ALogThatEndsEarlyIsRefused) {
  const TemporaryFolder folder;
  const TrainingRun run = gpu_run_in(folder.path());
  write_log(folder.path() / "log", 8, "");
  EXPECT_EQ(steps_in_log(folder.path() / "log", run).error().what, "has no steps");
  write_log(folder.path() / "log", 11, "");
  EXPECT_EQ(steps_in_log(folder.path() / "log", run).error().what,
            "does not say what recording the GPU's times cost");
}

TEST(TrainingRun, OnAGpuIsNoneOfCores) {
  const TemporaryFolder folder;
  leave(run_in(folder.path()));
  EXPECT_TRUE(kept_steps(run_in(folder.path())));
  EXPECT_FALSE(kept_steps(gpu_run_in(folder.path())));
}

}  // namespace
}  // namespace quintet::calibrate
