#include <fmt/format.h>

#include <algorithm>

#include "sim/base/text_table.h"
#include "sim/explain/pictures/step_pictures.h"
#include "sim/explain/shown_times.h"
#include "sim/picture/waterfall.h"
#include "traces/report/diagnosis_report.h"

namespace quintet {

namespace {

constexpr std::size_t most_bars = 4;

// The mean, and the ranks that others wait for most.
std::vector<StepBar> bars_of(const Diagnosis& diagnosis) {
  std::vector<StepBar> bars{{"mean", diagnosis.mean.breakdown, {}}};
  std::vector<std::size_t> ranks;
  for (const Straggler& each : diagnosis.stragglers)
    ranks.push_back(static_cast<std::size_t>(each.late.rank));
  for (std::size_t rank = 0; rank < diagnosis.ranks.size(); ++rank)
    if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) ranks.push_back(rank);
  ranks.resize(std::min(ranks.size(), most_bars));
  for (const std::size_t rank : ranks) {
    const RankBreakdown& breakdown = diagnosis.ranks[rank].breakdown;
    bars.push_back({fmt::format("rank {}", breakdown.rank.value), breakdown, {}});
  }
  return bars;
}

// The step as it was, less what each finding costs.
Picture costs_picture(const Diagnosis& diagnosis) {
  const int decimals = std::min(3, decimals_for(milliseconds(diagnosis.step)));
  const auto number = [&](Duration time, bool with_sign) {
    const double value = milliseconds(time);
    return ShownNumber{value, with_sign ? signed_fixed(value, decimals) : fixed(value, decimals),
                       fmt::to_string(time.picoseconds)};
  };
  Duration left = diagnosis.step;
  Waterfall waterfall{.name = "findings",
                      .title = "What the step would be without each cause",
                      .unit = "ms",
                      .from_name = "recorded",
                      .to_name = "without them",
                      .from = number(diagnosis.step, false),
                      .longer = "longer than recorded",
                      .shorter = "shorter"};
  for (const Finding& finding : diagnosis.findings) {
    waterfall.changes.push_back(
        {std::string(name_of(finding.kind)), number(Duration{} - finding.cost, true)});
    left = left - finding.cost;
  }
  waterfall.to = number(left, false);
  return draw(waterfall, decimals);
}

}  // namespace

std::string diagnosis_html(const Diagnosis& diagnosis, const Timeline& timeline) {
  std::vector<ReportSection> sections = diagnosis_sections(diagnosis);
  Page page{"What costs a recorded step its time", {diagnosis.name}, {}, {}, {}};
  for (const std::string& sentence : sections.front().sentences)
    if (!sentence.empty()) page.lines.push_back(sentence);
  page.tables.assign(sections.begin() + 1, sections.end());
  if (!diagnosis.findings.empty()) page.pictures.push_back(costs_picture(diagnosis));
  const std::vector<StepBar> bars = bars_of(diagnosis);
  page.pictures.push_back(
      draw(step_bars({"steps", "Where the time goes: the mean, and ranks waited for most"}, bars)));
  std::vector<RankBreakdown> all;
  for (const RankTimes& rank : diagnosis.ranks) all.push_back(rank.breakdown);
  if (auto pipeline = pipeline_picture({"pipeline", "The pipeline"}, timeline, all))
    page.pictures.push_back(std::move(*pipeline));
  page.pictures.push_back(ranks_picture({"ranks", "Ranks over time"}, timeline));
  return page_html(page);
}

}  // namespace quintet
