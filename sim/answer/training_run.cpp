#include "sim/answer/training_run.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "sim/answer/numbers_text.h"
#include "sim/base/shown_text.h"
#include "sim/base/text_table.h"

namespace quintet {

namespace {

constexpr double seconds_per_day = 86400, joules_per_megawatt_hour = 3.6e9;

// 0: no such letter.
double factor_of(std::string_view letters) {
  if (letters.empty()) return 1;
  if (letters == "K" || letters == "k") return 1e3;
  if (letters == "M") return 1e6;
  if (letters == "B" || letters == "G") return 1e9;
  return letters == "T" ? 1e12 : 0;
}

std::string days(Seconds time) {
  const double value = time.value / seconds_per_day;
  return fixed(value, value < 10 ? 2 : 1);
}

}  // namespace

Result<double> parse_tokens(std::string_view text) {
  constexpr double most = 1e18;
  const Error wrong{
      "", "expected a number of tokens such as 15T, 300B or 1.5e12, found " + in_quotes(text)};
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{}) return wrong;
  std::string_view letters(stopped, static_cast<std::size_t>(end - stopped));
  if (letters.starts_with(' ')) letters.remove_prefix(1);
  const double tokens = std::round(number * factor_of(letters));
  if (!(tokens >= 1 && tokens <= most)) return wrong;
  return tokens;
}

std::string complaint_of_tokens(const std::string& text) {
  const Result<double> tokens = parse_tokens(text);
  return tokens ? "" : tokens.error().what;
}

TrainingRun training_run(double tokens, std::int64_t tokens_per_step, const StepSummary& step,
                         const std::optional<StepInterval>& interval) {
  TrainingRun run;
  run.tokens = tokens;
  run.steps = std::ceil(tokens / static_cast<double>(tokens_per_step));
  run.time = run.steps * step.step;
  run.energy = run.steps * step.energy;
  run.cost = run.steps * step.cost;
  if (interval)
    run.interval = {run.steps * interval->low, run.steps * interval->high, interval->rests_on};
  return run;
}

std::string text_of(const TrainingRun& run) {
  std::string text = fmt::format("{} tokens: {} steps, {} days", in_words(run.tokens),
                                 grouped(run.steps), days(run.time));
  if (run.interval)
    text += fmt::format(" ({} to {})", days(run.interval->low), days(run.interval->high));
  if (run.energy > Joules{})
    text +=
        fmt::format(", {} MWh", grouped(std::round(run.energy.value / joules_per_megawatt_hour)));
  if (run.cost > Dollars{})
    text += fmt::format(", {} $ of rent", grouped(std::round(run.cost.value)));
  return text;
}

}  // namespace quintet
