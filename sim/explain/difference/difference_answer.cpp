#include "sim/explain/difference/difference_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/shown_text.h"
#include "sim/explain/breakdown_report.h"
#include "sim/explain/causality.h"
#include "sim/explain/recording_text.h"

namespace quintet {

namespace {

using Sentence = std::optional<std::string>;

std::string answer(const Compared& step, const ShownTimes& times) {
  const std::string both =
      "Measured " + times.ms(step.measured) + ", predicted " + times.ms(step.predicted);
  if (step.difference() == Duration{}) return both + ": the prediction is exact.";
  const bool fast = step.difference() > Duration{};
  const Duration off = fast ? step.difference() : Duration{} - step.difference();
  return both + ": the prediction is " + percent_of(off, step.measured) +
         (fast ? " too fast." : " too slow.");
}

std::vector<BreakdownRow> main_rows(const RankBreakdown& breakdown) {
  std::vector<BreakdownRow> rows = rows_of(breakdown);
  std::erase_if(rows, [](const BreakdownRow& row) { return row.level > 0; });
  rows.pop_back();  // the step
  return rows;
}

Sentence of_the_difference(const Difference& difference, const ShownTimes& times) {
  const std::vector<BreakdownRow> predicted = main_rows(difference.predicted);
  std::vector<BreakdownRow> rows = main_rows(difference.measured);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].time = rows[i].time - predicted[i].time;
  std::erase_if(rows, [&times](const BreakdownRow& row) {
    return times.ms(row.time) == times.ms(Duration{});
  });
  std::stable_sort(rows.begin(), rows.end(), [](const BreakdownRow& one, const BreakdownRow& two) {
    return std::abs(one.time.picoseconds) > std::abs(two.time.picoseconds);
  });
  std::string text;
  for (const BreakdownRow& row : rows)
    text += (text.empty() ? "" : ", ") + row.name + " " + times.signed_ms(row.time);
  if (text.empty()) return std::nullopt;
  return "Where the " + times.signed_ms(difference.step.difference()) + " are: " + text + ".";
}

Sentence measurement(const Timeline& timeline, const ShownTimes& times) {
  if (!timeline.measurement) return std::nullopt;
  const Measurement& measured = *timeline.measurement;
  std::string text = fmt::format("Step {}", measured.step);
  if (measured.steps.size() > 1) {
    const auto [least, most] = std::minmax_element(
        measured.steps.begin(), measured.steps.end(),
        [](const StepTime& one, const StepTime& other) { return one.time < other.time; });
    text += fmt::format(", the median of {} measured steps ({} to {})", measured.steps.size(),
                        times.ms(least->time), times.ms(most->time));
  }
  return text + fmt::format("; the ranks' clocks are known to {} ms.",
                            fixed(milliseconds(measured.clock_bound), 3));
}

Sentence threads(const Difference& difference) {
  if (!difference.threads) return std::nullopt;
  return fmt::format("A rank's thread had a core for {} of the time that its computing took.",
                     percent_of(difference.threads->ran, difference.threads->spans));
}

Sentence remark(const DifferenceInput& input) {
  if (!input.predicted.measurement) return std::nullopt;
  if (!input.measured.measurement)
    return "Warning: the wrong way round? " + shown(input.predicted_name) + " was measured, " +
           shown(input.measured_name) + " was predicted; the prediction comes first.";
  return "Remark: " + shown(input.predicted_name) + " was measured, too.";
}

Sentence impossible(const Timeline& measured) {
  const auto warning = causality_warning(measured);
  if (!warning) return std::nullopt;
  return "Warning: " + *warning + ".";
}

Sentence alone(const Difference& difference) {
  if (difference.unmatched.empty()) return std::nullopt;
  return fmt::format("Warning: {} instructions are in one of the two only; they are listed below.",
                     difference.unmatched.size());
}

}  // namespace

std::vector<std::string> difference_answer(const DifferenceInput& input, const ShownTimes& times) {
  const Difference& difference = input.difference;
  std::vector<std::string> sentences;
  for (Sentence each :
       {Sentence(answer(difference.step, times)), of_the_difference(difference, times),
        measurement(input.measured, times), threads(difference), remark(input),
        impossible(input.measured), alone(difference)})
    if (each) sentences.push_back(*std::move(each));
  if (input.measured.measurement && input.measured.measurement->recording)
    for (std::string& line : recording_lines(*input.measured.measurement->recording))
      sentences.push_back(std::move(line));
  return sentences;
}

}  // namespace quintet
