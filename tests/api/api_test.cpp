// The library says what the command says, as values.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "quintet/quintet.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace quintet::api {
namespace {

constexpr const char* model = "gpt2";
constexpr const char* machine = "dgx-a100-1";
// 16 sequences over 8 replicas of a micro-batch of 2.
constexpr const char* plan_json =
    R"({ "name": "eight", "parallelism": { "data": 8, "sequence_length": 1024, "micro_batch": 2 } })";

Prediction predicted(const std::vector<std::string>& set = {}) {
  PredictOptions options;
  options.set = set;
  return predict(load_model(model), plan_of(plan_json, "eight.json"), load_topology(machine),
                 options);
}

Failure failure_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Failure& failure) {
    return failure;
  }
  return {"nothing", "failed"};
}

TEST(Library, SaysWhatTheCommandSays) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "eight.json", plan_json);
  const test::ProgramRun run = test::run_quintet(
      {"simulate", "eight.json", "--model", model, "--topology", machine, "--json", "-q"},
      folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(predicted().json(), run.out);
}

TEST(Library, SaysWhatTheCommandSaysOfLists) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "eight.json", plan_json);
  const test::ProgramRun run =
      test::run_quintet({"simulate", "eight.json", "--model", model, "--topology", machine,
                         "--json", "-q", "--set", "parallelism.tensor=1,2,5"},
                        folder.path());
  PredictOptions options;
  options.set = {"parallelism.tensor=1,2,5"};
  const Sweep many =
      sweep(load_model(model), {plan_of(plan_json, "eight.json")}, load_topology(machine), options);
  EXPECT_EQ(many.json, run.out);
  EXPECT_EQ(many.rows.size(), 2u);
  EXPECT_EQ(many.refused.size(), 1u);  // 5 divides neither 8 GPUs nor 12 heads
  EXPECT_LE(many.rows[0].numbers.step_s, many.rows[1].numbers.step_s);
}

TEST(Library, AFoundPlanPredictsAsItsRow) {
  PredictOptions options;
  options.set = {"parallelism.tensor=2,4"};
  const Sweep many =
      sweep(load_model(model), {plan_of(plan_json)}, load_topology(machine), options);
  ASSERT_EQ(many.rows.size(), 2u);
  for (const SweepRow& row : many.rows)
    EXPECT_EQ(predict(load_model(model), row.plan, load_topology(machine)).numbers().step_s,
              row.numbers.step_s);
}

TEST(Library, APlanMayBeFieldsAlone) {
  PredictOptions options;
  options.set = {"parallelism.tensor=2", "parallelism.sequence_length=1024",
                 "parallelism.global_batch=16"};
  const Prediction step = predict(load_model(model), Plan{}, load_topology(machine), options);
  // 8 GPUs in pairs are 4 replicas.
  EXPECT_NE(step.plan_json().find("\"data\": 4"), std::string::npos) << step.plan_json();
}

TEST(Library, FailuresNameTheirPlace) {
  const Failure key = failure_of(
      [] { plan_of(R"({ "parallelism": { "sequence_length": 1024, "tensr": 2 } })", "mine"); });
  EXPECT_EQ(key.place(), "mine: parallelism.tensr");
  EXPECT_NE(key.reason().find("tensor"), std::string::npos) << key.reason();
  EXPECT_EQ(key.what(), key.place() + ": " + key.reason());

  const Failure name = failure_of([] { load_model("gpt-2"); });
  EXPECT_NE(std::string(name.what()).find("gpt2"), std::string::npos) << name.what();

  // 12 heads cannot be split by 8.
  const Failure fit = failure_of([] { predicted({"parallelism.tensor=8"}); });
  EXPECT_NE(std::string(fit.what()).find("parallelism.tensor"), std::string::npos) << fit.what();

  EXPECT_EQ(failure_of([] { predicted({"parallelism.micro_batch=1,2"}); }).place(), "set");
}

TEST(Library, FilesAreValues) {
  const Topology whole = load_topology("dgx-h100", 2);
  EXPECT_EQ(whole.hosts, 2);
  EXPECT_EQ(whole.ranks, 16);
  EXPECT_EQ(whole.device, "H100-SXM-80GB");
  EXPECT_EQ(whole, load_topology("dgx-h100", 2));
  const Model gpt2 = load_model("gpt2");
  EXPECT_EQ(gpt2.parameters, 124'439'808);  // traces/models/README.md
  EXPECT_EQ(model_of(gpt2.file.json, "x/gpt2/config.json").parameters, gpt2.parameters);
  const std::vector<std::string> names = shipped_topologies();
  EXPECT_TRUE(std::find(names.begin(), names.end(), "dgx-h100") != names.end());
}

TEST(Library, AMachineWithoutAFileFindsShippedHosts) {
  const Topology likewise = topology_of(R"({ "like": "dgx-h100-1024.json", "name": "mine" })", 4);
  EXPECT_EQ(likewise.ranks, 32);
  EXPECT_THROW(topology_of(R"({ "like": "nowhere.json", "name": "mine" })"), Failure);
}

TEST(Library, ATimelineEndsWithTheStep) {
  const Prediction step = predicted();
  const Timeline timeline = step.timeline();
  ASSERT_FALSE(timeline.spans.empty());
  std::int64_t last = 0;
  for (const Span& span : timeline.spans) {
    EXPECT_LE(span.start_ps, span.moving_ps);
    EXPECT_LE(span.moving_ps, span.end_ps);
    last = std::max(last, span.end_ps);
  }
  EXPECT_EQ(last, timeline.step_ps);
  EXPECT_DOUBLE_EQ(static_cast<double>(timeline.step_ps) * 1e-12, step.numbers().step_s);
  // Eight replicas do the same: one track stands for all, or each has its own.
  EXPECT_EQ(timeline.tracks.size(), 1u);
  EXPECT_EQ(step.timeline({0, 5}).tracks.size(), 2u);
  EXPECT_EQ(failure_of([&] { step.timeline({8}); }).place(), "ranks");
}

TEST(Library, ATraceComparesWithThePredictionItIsOf) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "slow.json.gz").string();
  predicted({"costs.launch.eager=40us"}).write_trace(file);
  const Prediction fast = predicted();
  const Comparison found = compare(fast, load_trace(file));
  EXPECT_EQ(found.step.predicted_ps, fast.timeline().step_ps);
  EXPECT_EQ(found.step.measured_ps, load_trace(file).timeline().step_ps);
  for (const auto& parts : {found.causes, found.stack, found.layers, found.axes}) {
    std::int64_t predicted_sum = 0, measured_sum = 0;
    for (const ComparedPart& part : parts) {
      predicted_sum += part.predicted_ps;
      measured_sum += part.measured_ps;
    }
    EXPECT_EQ(predicted_sum, found.step.predicted_ps);
    EXPECT_EQ(measured_sum, found.step.measured_ps);
  }
  EXPECT_THROW(load_trace((folder.path() / "none.json").string()), Failure);
}

TEST(Library, WhatProgressThrowsEndsThePrediction) {
  PredictOptions options;
  options.progress = [](double) { throw std::runtime_error("enough"); };
  EXPECT_THROW(predict(load_model("llama-3-70b"), load_plan("llama-3-70b-1024-h100-tp8-pp4"),
                       load_topology("dgx-h100-1024"), options),
               std::runtime_error);
}

TEST(Library, SaysItsVersion) {
  EXPECT_EQ(version_text().substr(0, version_text().find('\n')), "quintet " + version());
}

}  // namespace
}  // namespace quintet::api
