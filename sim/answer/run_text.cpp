#include "sim/answer/run_text.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "sim/answer/numbers_text.h"
#include "sim/base/text_table.h"

namespace quintet {

namespace {

constexpr double seconds_per_day = 86400;

std::string energy_text(Joules energy) {
  constexpr double joules_per_kilowatt_hour = 3.6e6;
  const double kilowatt_hours = energy.value / joules_per_kilowatt_hour;
  const bool small = kilowatt_hours < 500;
  return fmt::format("{} {}",
                     small ? fixed(kilowatt_hours, kilowatt_hours < 10 ? 2 : 0)
                           : grouped(std::round(kilowatt_hours / 1e3)),
                     small ? "kWh" : "MWh");
}

std::string several(double count, const char* what) {
  return fmt::format("{} {}{}", grouped(count), what, count == 1 ? "" : "s");
}

std::string parts_text(const TrainingRun& run, const TimeUnit& unit) {
  std::string text;
  const auto add = [&](const std::string& what, Seconds time) {
    if (time > Seconds{})
      text += fmt::format("{}{} {} {}", text.empty() ? ", of which " : ", ", what,
                          in_unit(time, unit), unit.name);
  };
  add("start-up", run.start_up);
  add(several(run.evaluations, "evaluation"), run.evaluating);
  add(several(run.checkpoints, "checkpoint"), run.checkpointing);
  return text;
}

}  // namespace

TimeUnit unit_of(Seconds time) {
  constexpr double minute = 60, hour = 3600, some = 3;
  if (time.value >= some * seconds_per_day) return {seconds_per_day, "days"};
  if (time.value >= some * hour) return {hour, "hours"};
  if (time.value >= some * minute) return {minute, "minutes"};
  return {1, "s"};
}

std::string in_unit(Seconds time, const TimeUnit& unit) {
  const double value = time.value / unit.seconds;
  return fixed(value, value < 10 ? 2 : 1);
}

std::string asked_text(const RunLength& length) {
  std::string_view noun = name_of(length.unit);
  if (length.count == 1) noun.remove_suffix(1);
  return fmt::format("{} {}",
                     length.unit == RunUnit::steps ? grouped(length.count) : in_words(length.count),
                     noun);
}

std::string text_of(const TrainingRun& run) {
  const TimeUnit unit = unit_of(run.time);
  std::string text = run.asked.unit == RunUnit::steps
                         ? fmt::format("{} samples: ", in_words(run.samples))
                         : asked_text(run.asked) + ": ";
  text += fmt::format("{}, {} {}", several(run.steps, "step"), in_unit(run.time, unit), unit.name);
  if (run.interval)
    text += fmt::format(" ({} to {})", in_unit(run.interval->low, unit),
                        in_unit(run.interval->high, unit));
  text += parts_text(run, unit);
  if (run.energy > Joules{}) text += ", " + energy_text(run.energy);
  if (run.cost > Dollars{})
    text +=
        fmt::format(", {} $ of rent", run.cost.value < 100 ? fixed(run.cost.value, 2)
                                                           : grouped(std::round(run.cost.value)));
  return text;
}

}  // namespace quintet
