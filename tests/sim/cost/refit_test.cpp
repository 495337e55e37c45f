// Cost tables without some of their points: fits, held-out errors, files.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/base/text_file.h"
#include "sim/cost/collective_curve.h"
#include "sim/cost/file/cost_table_file.h"
#include "sim/cost/operator_curves.h"
#include "sim/cost/operator_family.h"
#include "sim/cost/refit/part_fit.h"
#include "sim/cost/refit/refitted.h"
#include "sim/cost/refit/refitted_file.h"

namespace quintet {
namespace {

using namespace literals;

const std::string cpu_file = QUINTET_SOURCE_DIR "/traces/costs/cpu-core.json";
const std::string h100_file = QUINTET_SOURCE_DIR "/traces/costs/h100-sxm-80gb.json";

std::string text_of_file(const std::string& file) {
  const Result<std::string> text = read_text_file(file);
  EXPECT_TRUE(text);
  return *text;
}

CostTable table_of_file(const std::string& file) {
  Result<CostTable> table = read_cost_table(file);
  EXPECT_TRUE(table) << (table ? "" : table.error().text());
  return std::move(*table);
}

const CostPart& part_named(const std::vector<CostPart>& parts, std::string_view name) {
  for (const CostPart& part : parts)
    if (part.name.starts_with(name)) return part;
  ADD_FAILURE() << name << " is no part";
  return parts.front();
}

// Products of one side: 1 us and 10 GFLOP/s, but for one that took three times as long.
constexpr std::size_t slow = 3;
CostTable table_with_a_slow_point() {
  std::vector<MeasuredOperator> points;
  for (const std::int64_t m : {16, 32, 64, 128, 256, 512, 1024}) {
    const PricedOperator work{OperatorKind::mlp_up, Phase::forward, DataType::fp32,
                              GemmShape{m, 256, 256}};
    const double factor = points.size() == slow ? 3 : 1;
    points.push_back({work, Seconds{factor * (1e-6 + natural_work(work) / 1e10)}, 5});
  }
  CostTable table;
  table.curves.push_back(*fitted_curve(std::move(points)));
  return table;
}

// Between 1 KiB at 1 us and 4 KiB at 4 us a line in logarithms says 2 us of 2 KiB: 3 us are half
// more. The ends have nobody beyond them.
TEST(Refit, APointIsHeldOutByItsNeighbours) {
  const std::vector<CurvePoint> points{{1_KiB, 1_us}, {2_KiB, 3_us}, {4_KiB, 4_us}};
  const auto errors = left_out_along(points);
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_FALSE(errors[0]);
  EXPECT_NEAR(errors[1].value(), 0.5, 1e-12);
  EXPECT_FALSE(errors[2]);
}

TEST(Refit, PartsNameWhatTheTableHolds) {
  const CostTable table = table_of_file(cpu_file);
  const std::vector<CostPart> parts = cost_parts(table);
  // Operators measured exactly are parts of their own where their family has no curve.
  const auto exact = std::count_if(parts.begin(), parts.end(), [](const CostPart& part) {
    return part.kind == PartKind::operators && !part.entry;
  });
  EXPECT_EQ(parts.size() - static_cast<std::size_t>(exact),
            table.curves.size() + table.communication.curves.size() +
                table.communication.messages.size());
  const CostPart& embedding = part_named(parts, "embedding forward in bf16");
  EXPECT_EQ(embedding.points,
            table.curves[*embedding.entry].points.size() + embedding.exact.size());
  const CostTable card = table_of_file(h100_file);
  const CostPart& gemm = part_named(cost_parts(card), "GEMM bf16");
  EXPECT_EQ(gemm.kind, PartKind::gemm);
  EXPECT_EQ(gemm.recorded, card.gemm.front().residuals);
}

// The slow point lies 200 % above what the others say; without it they agree within a few percent.
TEST(Refit, LeavingOutAnOutlierBringsTheHeldOutErrorDown) {
  const CostTable table = table_with_a_slow_point();
  const CostPart part = cost_parts(table).front();
  const PartFit before = fit_of(table, part, {});
  EXPECT_TRUE(before.points[slow].contradicted);
  EXPECT_NEAR(before.points[slow].held_out.value(), 2, 0.5);
  const PartFit after = fit_of(table, part, {{PointList::operator_curve, 0, slow}});
  EXPECT_TRUE(after.points[slow].excluded);
  EXPECT_NEAR(after.points[slow].held_out.value(), 2, 0.1);
  EXPECT_EQ(after.held_out.samples, 6);
  EXPECT_LT(after.held_out.p95, before.held_out.p95);
  EXPECT_LT(after.held_out_median, 0.05);
}

// The picture's curve is what simulate prices by, at each point and in between.
TEST(Refit, TheCurveGoesThroughWhatIsPredicted) {
  const CostTable table = table_of_file(cpu_file);
  for (const CostPart& part : cost_parts(table)) {
    const PartFit fit = fit_of(table, part, {});
    if (part.kind != PartKind::operators || !part.entry) continue;
    for (const FitPoint& point : fit.points) {
      if (point.place.list != PointList::operator_curve) continue;
      EXPECT_EQ(point.fitted.value(),
                sampled_time(table.curves[*part.entry].points[point.place.point].work,
                             table.curves[*part.entry]));
    }
    EXPECT_NEAR(fit.curve.front().fitted / fit.points.front().fitted.value(), 1, 1e-9) << part.name;
  }
}

TEST(Refit, FormulasHaveALineWhereTheyPriceByThemselves) {
  const CostTable table = table_of_file(h100_file);
  for (const CostPart& part : cost_parts(table)) {
    const PartFit fit = fit_of(table, part, {});
    const bool inside_others = part.name == "softmax" || part.name == "dropout";
    EXPECT_EQ(fit.curve.empty(), inside_others) << part.name;
    for (std::size_t i = 1; i < fit.curve.size(); ++i)
      EXPECT_GT(fit.curve[i].amount, fit.curve[i - 1].amount) << part.name;
  }
}

TEST(Refit, NothingExcludedIsTheSameFile) {
  const std::string text = text_of_file(cpu_file);
  const Result<std::string> written = refitted_text(text, cpu_file, {});
  ASSERT_TRUE(written);
  EXPECT_EQ(*written, text);
}

// Excluded points are gone, their curve is fitted anew, all else is equal.
TEST(Refit, TheFileHoldsWhatIsLeft) {
  const CostTable table = table_of_file(cpu_file);
  const ExcludedPoints excluded{{PointList::operator_curve, 3, 2},
                                {PointList::collective, 1, 4},
                                {PointList::collective, 1, 5},
                                {PointList::message, 0, 1}};
  const Result<std::string> written = refitted_text(text_of_file(cpu_file), cpu_file, excluded);
  ASSERT_TRUE(written) << written.error().text();
  Result<CostTable> read = parse_cost_table(*written, "written");
  ASSERT_TRUE(read) << read.error().text();
  CostTable expected = refitted(table, excluded);
  EXPECT_EQ(read->source, table.source + "; 4 of its points left out by hand");
  expected.source = read->source;
  EXPECT_EQ(*read, expected);
  EXPECT_EQ(expected.curves[3].points.size() + 1, table.curves[3].points.size());
  EXPECT_EQ(expected.communication.curves[1].points.size() + 2,
            table.communication.curves[1].points.size());
  EXPECT_EQ(expected.curves[4], table.curves[4]);
  EXPECT_EQ(expected.communication.curves[0], table.communication.curves[0]);
}

// Of a card's table the formulas stay, which text_of(CostTable) does not write.
TEST(Refit, FormulasStayInTheFile) {
  const CostTable table = table_of_file(h100_file);
  const Result<std::string> written =
      refitted_text(text_of_file(h100_file), h100_file, {{PointList::collective, 0, 5}});
  ASSERT_TRUE(written) << written.error().text();
  const Result<CostTable> read = parse_cost_table(*written, "written");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->gemm, table.gemm);
  EXPECT_EQ(read->memory, table.memory);
  EXPECT_EQ(read->communication.curves[0].points.size(), 21u);
}

TEST(Refit, ACurveKeepsAsManyPointsAsItNeeds) {
  const CostTable table = table_of_file(cpu_file);
  ExcludedPoints all_but_one;
  for (std::size_t i = 1; i < table.communication.curves[0].points.size(); ++i)
    all_but_one.insert({PointList::collective, 0, i});
  const auto error = why_not_without(table, all_but_one);
  ASSERT_TRUE(error);
  EXPECT_NE(error->text().find("1 points would be left, and its curve needs 2"), std::string::npos)
      << error->text();
  EXPECT_FALSE(refitted_text(text_of_file(cpu_file), cpu_file, all_but_one));
  all_but_one.erase(PointPlace{PointList::collective, 0, 1});
  EXPECT_FALSE(why_not_without(table, all_but_one));
}

TEST(Refit, WhatIsNoTableIsRefusedWithItsPlace) {
  const Result<std::string> written = refitted_text("{\"name\": 3}", "mine.json", {});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().where.substr(0, 9), "mine.json") << written.error().text();
}

}  // namespace
}  // namespace quintet
