#include "sim/training_run/run_length.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "sim/base/shown_text.h"

namespace quintet {

namespace {

// 0: no such letter.
double factor_of(std::string_view letters) {
  if (letters.empty()) return 1;
  if (letters == "K" || letters == "k") return 1e3;
  if (letters == "M") return 1e6;
  if (letters == "B" || letters == "G") return 1e9;
  return letters == "T" ? 1e12 : 0;
}

}  // namespace

std::string_view name_of(RunUnit unit) {
  switch (unit) {
    case RunUnit::tokens:
      return "tokens";
    case RunUnit::samples:
      return "samples";
    case RunUnit::steps:
      return "steps";
  }
  return {};
}

Result<RunLength> parse_run_length(std::string_view text, RunUnit unit) {
  constexpr double most = 1e18;
  const Error wrong{"", fmt::format("expected a number of {} such as 15T, 300B or 1.5e12, found {}",
                                    name_of(unit), in_quotes(text))};
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{}) return wrong;
  std::string_view letters(stopped, static_cast<std::size_t>(end - stopped));
  if (letters.starts_with(' ')) letters.remove_prefix(1);
  const double count = std::round(number * factor_of(letters));
  if (!(count >= 1 && count <= most)) return wrong;
  return RunLength{count, unit};
}

double samples_of_step(const Plan& plan) {
  return static_cast<double>(plan.run.batch > 0 ? plan.run.batch : global_batch(plan.parallelism));
}

double steps_of(const RunLength& length, const StepContent& step) {
  switch (length.unit) {
    case RunUnit::tokens:
      return std::ceil(length.count / step.tokens);
    case RunUnit::samples:
      return std::ceil(length.count / step.samples);
    case RunUnit::steps:
      return length.count;
  }
  return length.count;
}

}  // namespace quintet
