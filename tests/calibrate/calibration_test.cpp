// Operators measured by running a toy model for real, and a prediction made of them.
#include <gtest/gtest.h>

#include "calibrate/machine/others_work.h"
#include "calibrate/operators/measure_operators.h"
#include "sim/compile/step_program.h"
#include "sim/simulate/predict.h"
#include "tests/support/shipped.h"
#include "tests/support/toy_models.h"

namespace quintet::calibrate {
namespace {

Model toy_model() {
  Model model = engine::test::toy_gpt2();
  model.layers = 2;
  return model;
}

Plan toy_plan(int tensor, int data, int pipeline) {
  Plan plan;
  plan.name = "toy";
  plan.parallelism = {.tensor = tensor,
                      .data = data,
                      .pipeline = pipeline,
                      .sequence_length = engine::test::toy_length,
                      .micro_batch = 2,
                      .micro_batches = 2,
                      .compute_type = DataType::fp32};
  return plan;
}

CostTable measured_table(const Model& model, const std::vector<Plan>& plans,
                         const Topology& topology) {
  OperatorSamples samples;
  for (const Plan& plan : plans) {
    const OperatorRun run{
        model, plan, test::required(checked_step_program(model, plan, topology)), {}};
    const auto error =
        measure_operators(run, {[] { return kernels::reference_kernels(); }, 1, 3}, samples);
    EXPECT_FALSE(error) << error->text();
  }
  CostTable table;
  table.name = "toy";
  table.gpu = "any";
  table.operators = samples.times();
  return table;
}

TEST(Calibration, MeasuresEveryOperatorThatThePlansNeed) {
  const Topology topology = test::shipped_topology("ethernet-cpu-4");
  const std::vector<Plan> plans{toy_plan(2, 1, 2), toy_plan(1, 4, 1)};
  CostTable table = measured_table(toy_model(), plans, topology);
  table.processors =
      ProcessorCosts{2, Bandwidth{1e9}, Seconds{1e-5}, Seconds{1e-4}, Seconds{2e-4}, "of the test"};
  for (const Plan& plan : plans) {
    const Prediction prediction = test::required(predict(toy_model(), plan, topology, table));
    EXPECT_GT(prediction.timeline.end, Instant{});
  }
  for (const MeasuredOperator& each : table.operators) EXPECT_GT(each.time, Seconds{});
}

// TP2 x PP2 only: the operators of whole layers are not there.
TEST(Calibration, PricesOnlyWhatItMeasured) {
  const Topology topology = test::shipped_topology("ethernet-cpu-4");
  const CostTable table = measured_table(toy_model(), {toy_plan(2, 1, 2)}, topology);
  EXPECT_FALSE(predict(toy_model(), toy_plan(1, 4, 1), topology, table));
}

TEST(Calibration, TheMachinesWorkGrowsWithOurs) {
  const Result<Seconds> before = machine_work();
  ASSERT_TRUE(before) << before.error().text();
  const Result<Seconds> until = before;
  // A tick is 10 ms; a loop that ends when the clock has gone on by one proves that it does.
  for (volatile double value = 1; *machine_work() <= *until;) value = value * 1.0000001;
  EXPECT_GT(*machine_work(), *before);
}

}  // namespace
}  // namespace quintet::calibrate
