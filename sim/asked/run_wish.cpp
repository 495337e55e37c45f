#include "sim/asked/run_wish.h"

namespace quintet {

namespace {

std::string complaint(const std::string& text, RunUnit unit) {
  const Result<RunLength> length = parse_run_length(text, unit);
  return length ? "" : length.error().what;
}

std::string complaint_of_tokens(const std::string& text) {
  return complaint(text, RunUnit::tokens);
}
std::string complaint_of_samples(const std::string& text) {
  return complaint(text, RunUnit::samples);
}
std::string complaint_of_steps(const std::string& text) {
  return complaint(text, RunUnit::steps);
}

Result<std::optional<RunLength>> asked(const char* option, const std::string& text, RunUnit unit) {
  const Result<RunLength> length = parse_run_length(text, unit);
  if (!length) return Error{option, length.error().what};
  return std::optional<RunLength>{*length};
}

}  // namespace

Options run_options(RunWish& into) {
  return {
      {.names = "--tokens",
       .into = &into.tokens,
       .does = "Say also how long a run of so many tokens takes, and its rent: 15T, 300B or "
               "1.5e12; with the start-up, evaluations and checkpoints of the plan's section run",
       .type = "N",
       .check = Judged{complaint_of_tokens}},
      {.names = "--samples",
       .into = &into.samples,
       .does = "Likewise a run of so many samples",
       .type = "N",
       .check = Judged{complaint_of_samples},
       .excludes = "--tokens"},
      {.names = "--steps",
       .into = &into.steps,
       .does = "Likewise a run of so many steps",
       .type = "N",
       .check = Judged{complaint_of_steps},
       .excludes = "--tokens"},
  };
}

Result<std::optional<RunLength>> run_asked(const RunWish& wish) {
  if (!wish.samples.empty() && !wish.steps.empty())
    return Error{"--steps", "says how long the run is, as --samples does; give one of them"};
  if (!wish.tokens.empty()) return asked("--tokens", wish.tokens, RunUnit::tokens);
  if (!wish.samples.empty()) return asked("--samples", wish.samples, RunUnit::samples);
  if (!wish.steps.empty()) return asked("--steps", wish.steps, RunUnit::steps);
  return std::optional<RunLength>{};
}

}  // namespace quintet
