#include "calibrate/loop/loop_page.h"

#include <fmt/format.h>

#include <array>

#include "sim/base/text_table.h"
#include "sim/explain/difference/difference.h"
#include "sim/explain/pictures/difference_page.h"
#include "sim/explain/pictures/step_pictures.h"
#include "sim/picture/ranges.h"
#include "sim/timeline/trace_reader.h"

namespace quintet::calibrate {
namespace {

constexpr std::size_t most_explained = 6;

ShownNumber shown_ms(Seconds time) {
  return {1e3 * time.value, fixed(1e3 * time.value, 1), fmt::format("{}", time.value)};
}

std::string name_of(const LoopRow& row) {
  return row.model + ", " + row.plan;
}

Picture all_rows(const std::vector<LoopRow>& rows) {
  RangeRows ranges{
      "loop", "Predicted and measured", "ms", "predicted", "90 % from - to", "measured", {}};
  for (const LoopRow& row : rows) {
    RangeRow drawn{name_of(row), shown_ms(row.predicted), {}, shown_ms(row.measured)};
    if (row.interval)
      drawn.interval = {shown_ms(row.interval->least), shown_ms(row.interval->most)};
    ranges.rows.push_back(std::move(drawn));
  }
  return draw(ranges);
}

// Nothing where a timeline is not there or not of the same program: the table has the row.
void add_reasons(const LoopRow& row, std::size_t number, std::vector<Picture>& pictures) {
  if (row.predicted_trace.empty() || row.measured_trace.empty()) return;
  const Result<Timeline> predicted = read_timeline(row.predicted_trace);
  const Result<Timeline> measured = read_timeline(row.measured_trace);
  if (!predicted || !measured) return;
  const Result<Difference> found = difference(*predicted, *measured);
  if (!found) return;
  const std::array<StepBar, 2> bars{StepBar{"predicted", found->predicted, {}},
                                    StepBar{"measured", found->measured, {}}};
  pictures.push_back(
      draw(step_bars({fmt::format("steps-{}", number), "A step of " + name_of(row)}, bars)));
  pictures.push_back(waterfall_picture(fmt::format("causes-{}", number),
                                       "From predicted to measured: " + name_of(row), *found));
}

ReportSection table_of(const std::vector<LoopRow>& rows) {
  ReportSection section{"Plans, times in ms", {}, {}};
  section.table = {{"plan", "predicted", "from", "to", "measured", "error", "cause"}};
  for (const LoopRow& row : rows)
    section.table.push_back({name_of(row), shown_ms(row.predicted).text,
                             row.interval ? shown_ms(row.interval->least).text : "",
                             row.interval ? shown_ms(row.interval->most).text : "",
                             shown_ms(row.measured).text, signed_fixed(100 * row.error(), 1) + " %",
                             row.cause});
  return section;
}

}  // namespace

Page loop_page(const std::vector<LoopRow>& rows, const std::vector<std::string>& remarks) {
  Page page{"How far to trust predictions here",
            {trust_text(verdict_of(rows))},
            {},
            {all_rows(rows)},
            {table_of(rows)}};
  page.lines.insert(page.lines.end(), remarks.begin(), remarks.end());
  for (std::size_t i = 0; i < rows.size() && i < most_explained; ++i)
    add_reasons(rows[i], i + 1, page.pictures);
  if (rows.size() > most_explained)
    page.pictures.front().notes.push_back(
        fmt::format("Reasons are drawn of the first {} of {} plans; the folder of --out has the "
                    "timelines of all.",
                    most_explained, rows.size()));
  return page;
}

}  // namespace quintet::calibrate
