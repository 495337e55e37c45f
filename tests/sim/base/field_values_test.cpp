#include "sim/json/field_values.h"

#include <gtest/gtest.h>

#include "sim/plan/plan_file.h"

namespace quintet {
namespace {

// Objects stand beside what is inside of them; what the text leaves out is left out here.
TEST(FieldValues, AreThoseOfTheFileByTheirPaths) {
  const FieldTexts texts = field_texts(
      plan_fields(),
      R"({"parallelism": {"tensor": 8, "schedule": "1f1b", "order": ["data", "tensor"]},
          "ccl": {"overlap_gradients": true}})");
  EXPECT_EQ(texts.at("parallelism.tensor"), "8");
  EXPECT_EQ(texts.at("parallelism.schedule"), "1f1b");
  EXPECT_EQ(texts.at("parallelism.order"), R"(["data","tensor"])");
  EXPECT_EQ(texts.at("ccl"), R"({"overlap_gradients":true})");
  EXPECT_EQ(texts.at("ccl.overlap_gradients"), "true");
  EXPECT_EQ(texts.size(), 6u);
}

TEST(FieldValues, OfAWrittenPlanReadBackAsThemselves) {
  Plan plan;
  plan.parallelism.sequence_length = 512;
  plan.parallelism.replicator.rate = 0.25;
  const FieldTexts texts = field_texts(plan_fields(), plan_text(plan));
  EXPECT_EQ(texts.at("parallelism.sequence_length"), "512");
  EXPECT_EQ(texts.at("parallelism.replicator.rate"), "0.25");
}

// "8" without quotes would be a number, and a comma would begin a second value.
TEST(FieldValues, KeepTextsTexts) {
  FieldDescription text;
  text.kind = FieldKind::text;
  EXPECT_EQ(asked_value(text, "my plan-2"), "my plan-2");
  EXPECT_EQ(asked_value(text, "8"), "\"8\"");
  EXPECT_EQ(asked_value(text, "a,b"), "\"a,b\"");
  EXPECT_EQ(asked_value(text, ""), "\"\"");
  FieldDescription whole;
  whole.kind = FieldKind::whole;
  EXPECT_EQ(asked_value(whole, "8"), "8");
  EXPECT_EQ(plain_value("\"1f1b\""), "1f1b");
  EXPECT_EQ(plain_value("[1,2]"), "[1,2]");
}

}  // namespace
}  // namespace quintet
