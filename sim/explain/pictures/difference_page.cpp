#include "sim/explain/pictures/difference_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/base/text_table.h"
#include "sim/explain/difference/cause_text.h"
#include "sim/explain/pictures/step_pictures.h"
#include "sim/explain/shown_times.h"
#include "sim/picture/waterfall.h"

namespace quintet {

namespace {

struct NamedTimeline {
  const char *name, *title;
  const Timeline& timeline;
};

void add_timelines(const DifferenceInput& input, std::vector<Picture>& pictures) {
  const std::array both{NamedTimeline{"predicted", "predicted", input.predicted},
                        NamedTimeline{"measured", "measured", input.measured}};
  for (const NamedTimeline& each : both)
    if (auto pipeline = pipeline_picture(
            {std::string("pipeline-") + each.name, std::string("The pipeline, ") + each.title},
            each.timeline, breakdowns(each.timeline)))
      pictures.push_back(std::move(*pipeline));
  for (const NamedTimeline& each : both)
    pictures.push_back(ranks_picture(
        {std::string("ranks-") + each.name, std::string("Ranks over time, ") + each.title},
        each.timeline));
}

}  // namespace

Picture waterfall_picture(const std::string& name, const std::string& title,
                          const Difference& difference) {
  const Compared& step = difference.step;
  const int decimals =
      std::min(3, decimals_for(milliseconds(std::max(step.predicted, step.measured))));
  const auto shown = [&](Duration time) {
    return ShownNumber{milliseconds(time), fixed(milliseconds(time), decimals),
                       fmt::to_string(time.picoseconds)};
  };
  Waterfall waterfall{
      name, title, "ms", "predicted", "measured", shown(step.predicted), shown(step.measured), {}};
  for (const Cause& cause : difference.causes) {
    const Duration change = cause.charged.difference();
    if (change == Duration{}) continue;
    waterfall.changes.push_back(
        {title_of(cause),
         {milliseconds(change), signed_fixed(milliseconds(change), decimals),
          fmt::to_string(change.picoseconds)}});
  }
  return draw(waterfall, decimals);
}

Page difference_page(const DifferenceInput& input) {
  Page page{"Predicted against measured",
            {"Predicted: " + input.predicted_name, "Measured: " + input.measured_name},
            {},
            {},
            difference_sections(input)};
  const std::array<StepBar, 2> bars{StepBar{"predicted", input.difference.predicted, {}},
                                    StepBar{"measured", input.difference.measured, {}}};
  page.pictures.push_back(draw(step_bars({"steps", "Where the time of a step goes"}, bars)));
  page.pictures.push_back(
      waterfall_picture("causes", "From predicted to measured, by cause", input.difference));
  add_timelines(input, page.pictures);
  return page;
}

}  // namespace quintet
