#include "sim/answer/pictures/plan_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/answer/head_text.h"
#include "sim/answer/money_answer.h"
#include "sim/answer/pictures/link_tiers.h"
#include "sim/base/text_table.h"
#include "sim/explain/breakdown_report.h"
#include "sim/explain/pictures/step_pictures.h"
#include "sim/picture/ranges.h"

namespace quintet {

namespace {

std::optional<std::pair<Seconds, Seconds>> ends_of(const Answer& answer) {
  if (!answer.interval) return std::nullopt;
  return std::pair{answer.interval->low, answer.interval->high};
}

std::vector<StepBar> bars_of(const std::vector<DrawnPlan>& plans) {
  std::vector<StepBar> bars;
  for (const DrawnPlan& plan : plans)
    bars.push_back({plan.name, plan.prediction.mean, ends_of(plan.answer)});
  return bars;
}

ShownNumber shown_ms(Seconds time) {
  const double ms = 1e3 * time.value;
  return {ms, fixed(ms, ms >= 100 ? 0 : decimals_for(ms)), fmt::format("{}", time.value)};
}

Picture interval_picture(const std::vector<DrawnPlan>& plans) {
  RangeRows ranges{"intervals", "How sure the steps are", "ms",
                   "predicted", "90 % of such steps",     "measured",
                   {}};
  for (const DrawnPlan& plan : plans) {
    RangeRow row{plan.name, shown_ms(plan.answer.summary.step), {}, {}};
    if (const auto ends = ends_of(plan.answer))
      row.interval = {shown_ms(ends->first), shown_ms(ends->second)};
    ranges.rows.push_back(std::move(row));
  }
  Picture picture = draw(ranges);
  for (const DrawnPlan& plan : plans)
    if (!plan.answer.interval)
      picture.notes.push_back("Of " + plan.name + " it is not known how far off it may be.");
  return picture;
}

std::vector<Bytes> carried_by(const Prediction& prediction) {
  std::vector<Bytes> carried;
  for (const std::int32_t load : prediction.load_of_link)
    carried.push_back(load < 0 ? Bytes{}
                               : Bytes{prediction.loads[static_cast<std::size_t>(load)].bytes});
  return carried;
}

void add_plan(const DrawnPlan& plan, const std::string& number, const Topology& topology,
              std::vector<Picture>& pictures) {
  const std::string of = number.empty() ? "" : ", " + plan.name;
  const Prediction& prediction = plan.prediction;
  if (auto pipeline = pipeline_picture({"pipeline" + number, "The pipeline" + of},
                                       prediction.timeline, prediction.breakdowns))
    pictures.push_back(std::move(*pipeline));
  pictures.push_back(
      ranks_picture({"ranks" + number, "Ranks over time" + of}, prediction.timeline));
  LoadTiers tiers = link_tiers(topology, carried_by(prediction), seconds(prediction.mean.step));
  tiers.name += number;
  tiers.title += of;
  if (!tiers.tiers.empty()) pictures.push_back(draw(tiers));
  if (auto memory = memory_picture({"memory" + number, "Memory of a GPU" + of}, prediction.memory))
    pictures.push_back(std::move(*memory));
}

ReportSection breakdown_section(const std::vector<DrawnPlan>& plans) {
  std::vector<Named<RankBreakdown>> named;
  for (const DrawnPlan& plan : plans) named.push_back({plan.name, plan.prediction.mean});
  return {"Where the time of a step goes, mean over ranks (parts sum to the step)",
          {},
          breakdown_rows(named)};
}

}  // namespace

std::vector<Picture> plan_pictures(const std::vector<DrawnPlan>& plans, const Topology& topology) {
  std::vector<Picture> pictures;
  pictures.push_back(draw(step_bars({"steps", "Where the time of a step goes"}, bars_of(plans))));
  pictures.push_back(interval_picture(plans));
  const std::size_t drawn = std::min(plans.size(), most_drawn_plans);
  for (std::size_t i = 0; i < drawn; ++i)
    add_plan(plans[i], plans.size() == 1 ? "" : fmt::format("-{}", i + 1), topology, pictures);
  if (drawn < plans.size())
    pictures.front().notes.push_back(
        fmt::format("Pipelines, ranks, links and memory are drawn of the first {} of {} plans.",
                    drawn, plans.size()));
  return pictures;
}

Page plans_page(const std::vector<std::string>& lines, const std::vector<DrawnPlan>& plans,
                const Topology& topology) {
  Page page{plans.size() == 1 ? plans.front().name : fmt::format("{} plans", plans.size()),
            lines,
            {},
            plan_pictures(plans, topology),
            {breakdown_section(plans)}};
  for (const DrawnPlan& plan : plans) {
    page.facts.push_back({plan.name, head_rows(plan.answer)});
    if (!plan.answer.money) continue;
    for (ReportSection& section : money_sections(plan.name, *plan.answer.money, plan.answer.run))
      page.tables.push_back(std::move(section));
  }
  return page;
}

}  // namespace quintet
