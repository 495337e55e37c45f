#include "sim/answer/run_text.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/answer/numbers_text.h"
#include "sim/base/text_table.h"

namespace quintet {

namespace {

constexpr double seconds_per_day = 86400;

struct TimeUnit {
  double seconds;
  const char* name;
};

// Runs of so many tokens are told in days, whatever they take; others in what suits them.
TimeUnit unit_of(const TrainingRun& run) {
  constexpr double minute = 60, hour = 3600, some = 3;
  const double time = run.time.value;
  if (run.asked.unit == RunUnit::tokens || time >= some * seconds_per_day)
    return {seconds_per_day, "days"};
  if (time >= some * hour) return {hour, "hours"};
  if (time >= some * minute) return {minute, "minutes"};
  return {1, "s"};
}

std::string number(Seconds time, const TimeUnit& unit) {
  const double value = time.value / unit.seconds;
  return fixed(value, value < 10 ? 2 : 1);
}

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
                          number(time, unit), unit.name);
  };
  add("start-up", run.start_up);
  add(several(run.evaluations, "evaluation"), run.evaluating);
  add(several(run.checkpoints, "checkpoint"), run.checkpointing);
  return text;
}

}  // namespace

std::string text_of(const TrainingRun& run) {
  const TimeUnit unit = unit_of(run);
  std::string text = run.asked.unit == RunUnit::steps
                         ? fmt::format("{} samples: ", in_words(run.samples))
                         : fmt::format("{} {}: ", in_words(run.asked.count), name_of(run.asked.unit));
  text += fmt::format("{} steps, {} {}", grouped(run.steps), number(run.time, unit), unit.name);
  if (run.interval)
    text += fmt::format(" ({} to {})", number(run.interval->low, unit),
                        number(run.interval->high, unit));
  text += parts_text(run, unit);
  if (run.energy > Joules{})
    text += ", " + (run.asked.unit == RunUnit::tokens
                        ? fmt::format("{} MWh", grouped(std::round(run.energy.value / 3.6e9)))
                        : energy_text(run.energy));
  if (run.cost > Dollars{})
    text += fmt::format(", {} $ of rent",
                        run.cost.value < 100 ? fixed(run.cost.value, 2)
                                             : grouped(std::round(run.cost.value)));
  return text;
}

}  // namespace quintet
