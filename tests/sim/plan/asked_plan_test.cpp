// Plans asked for by fields: what follows from what was said.
#include "sim/plan/asked_plan.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "sim/asked/field_text.h"
#include "sim/json/json_value.h"
#include "sim/plan/plan_file.h"

namespace quintet {
namespace {

FieldChange of(const std::string& field, const std::string& value) {
  return {"parallelism." + field, value, "--" + field + " " + value};
}

const PlanBase nothing{"{}", "the plan asked for", false};

// 256 sequences a step: 1 x 8 x 32.
const PlanBase file{R"({"name": "f", "parallelism": {"tensor": 4, "data": 32, "sequence_length": 64,
                        "micro_batches": 8}})",
                    "f.json", true};

std::string error_of(const Result<Plan>& plan) {
  return plan ? "accepted" : plan.error().text();
}

TEST(AskedPlan, FillsTheMachineWithReplicas) {
  const auto plan = asked_plan(
      nothing, {of("tensor", "8"), of("pipeline", "2"), of("sequence_length", "64")}, 128);
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->parallelism.data, 8);  // 128 / (8 x 2)
  EXPECT_EQ(layout_name(plan->parallelism), "tp8-pp2-dp8");
}

TEST(AskedPlan, DealsTheBatchOut) {
  const auto plan = asked_plan(nothing,
                               {of("tensor", "8"), of("sequence_length", "64"),
                                of("global_batch", "512"), of("micro_batch", "2")},
                               128);
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->parallelism.micro_batches, 16);  // 512 / (2 x 16 replicas)
}

TEST(AskedPlan, SaysWhatDoesNotDivide) {
  EXPECT_NE(error_of(asked_plan(nothing, {of("tensor", "3"), of("sequence_length", "64")}, 128))
                .find("--tensor 3: tensor 3 = 3 does not divide the 128 places"),
            std::string::npos);
  EXPECT_NE(
      error_of(asked_plan(nothing, {of("sequence_length", "64"), of("global_batch", "10")}, 4))
          .find("--global_batch 10: 10 sequences cannot be dealt to 4 replicas"),
      std::string::npos);
}

TEST(AskedPlan, KeepsTheFilesBatchWhereRanksChange) {
  const auto plan = asked_plan(file, {of("tensor", "8")}, 128);
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->parallelism.data, 16);           // 128 / 8
  EXPECT_EQ(plan->parallelism.micro_batches, 16);  // 256 sequences still
}

TEST(AskedPlan, IsTheFileWhereNothingIsAsked) {
  const auto plan = asked_plan(file, {}, 512);
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(*plan, *parse_plan(file.text, "f.json"));
}

TEST(AskedPlan, TakesOneBatchInThePlaceOfTheOther) {
  const auto batch = asked_plan(file, {of("global_batch", "64")}, 128);
  ASSERT_TRUE(batch) << batch.error().text();
  EXPECT_EQ(batch->parallelism.micro_batches, 2);  // 64 / 32
  const auto count = asked_plan(file, {of("micro_batches", "3")}, 128);
  ASSERT_TRUE(count) << count.error().text();
  EXPECT_EQ(global_batch(count->parallelism), 96);
}

TEST(AskedPlan, BlamesTheChangeThatIsWrong) {
  EXPECT_EQ(error_of(asked_plan(file, {of("tensr", "8")}, 128)),
            "--tensr 8: unknown key; did you mean \"tensor\"?");
  EXPECT_NE(error_of(asked_plan(file, {of("schedule", "1f2b")}, 128))
                .find("--schedule 1f2b: expected one of gpipe, 1f1b"),
            std::string::npos);
  EXPECT_NE(error_of(asked_plan(file, {of("tensor", "many")}, 128))
                .find("--tensor many: expected a whole number"),
            std::string::npos);
}

Result<Plan> with_batch(const std::string& fields) {
  return parse_plan(R"({"parallelism": {"data": 4, "sequence_length": 64, )" + fields + "}}",
                    "plan.json");
}

TEST(GlobalBatch, StandsInThePlaceOfMicroBatches) {
  const auto plan = with_batch(R"("global_batch": 32, "micro_batch": 2)");
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->parallelism.micro_batches, 4);  // 32 / (2 x 4)
  EXPECT_TRUE(with_batch(R"("global_batch": 32, "micro_batches": 8)"));
}

TEST(GlobalBatch, IsRefusedWhereItContradicts) {
  EXPECT_NE(error_of(with_batch(R"("global_batch": 32, "micro_batches": 7)"))
                .find("plan.json: parallelism.global_batch: is 32, but"),
            std::string::npos);
  EXPECT_NE(error_of(with_batch(R"("global_batch": 30)")).find("use a multiple of 4"),
            std::string::npos);
}

void add_keys(const JsonValue& object, const std::string& prefix, std::set<std::string>& keys) {
  for (const JsonField& field : object.fields()) {
    keys.insert(prefix + field.key);
    if (field.value.dump().starts_with("{")) add_keys(field.value, prefix + field.key + ".", keys);
  }
}

void add_keys(const FieldDescription& object, const std::string& prefix,
              std::set<std::string>& keys) {
  for (const FieldDescription& field : object.fields) {
    if (field.key.empty()) continue;
    keys.insert(prefix + field.key);
    add_keys(field, prefix + field.key + ".", keys);
  }
}

// The writer knows the fields by the same lists, but for those that it leaves out when they are
// open.
TEST(PlanFields, AreThoseThatAreWritten) {
  std::set<std::string> written, described;
  add_keys(JsonValue::parse(plan_text({})), "", written);
  add_keys(plan_fields(), "", described);
  for (const std::string& key : written) EXPECT_TRUE(described.contains(key)) << key;
  for (const char* const open : {"parallelism.global_batch", "host_net.pipeline_delivery"})
    EXPECT_TRUE(described.contains(open)) << open;
}

void expect_meanings(const FieldDescription& object, const std::string& prefix) {
  for (const FieldDescription& field : object.fields) {
    EXPECT_TRUE(field.key.empty() || !field.meaning.empty()) << prefix << field.key;
    expect_meanings(field, prefix + field.key + ".");
  }
}

TEST(PlanFields, AllSayWhatTheyMean) {
  expect_meanings(plan_fields(), "");
}

TEST(PlanFields, KnowTheirDefaults) {
  const FieldDescription plan = plan_fields();
  const FieldDescription* const parallelism = field_of(plan, "parallelism");
  ASSERT_NE(parallelism, nullptr);
  EXPECT_EQ(field_of(*parallelism, "tensor")->usual, "1");
  EXPECT_EQ(field_of(*parallelism, "schedule")->usual, "\"1f1b\"");
  EXPECT_EQ(field_of(*parallelism, "master_weights")->usual, "true");
  EXPECT_TRUE(field_of(*parallelism, "sequence_length")->required);
  EXPECT_FALSE(field_of(*parallelism, "tensor")->required);
  EXPECT_EQ(field_of(*parallelism, "tensor")->least, 1);
}

TEST(PlanFields, AreThoseOfThePage) {
  std::ostringstream page;
  page << std::ifstream(QUINTET_SOURCE_DIR "/traces/plans/README.md").rdbuf();
  EXPECT_NE(page.str().find(fields_markdown(plan_fields())), std::string::npos)
      << "put the output of `quintet plan fields --markdown` into traces/plans/README.md";
}

}  // namespace
}  // namespace quintet
