#include "sim/command/search/search_wish.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "sim/base/quantity_text.h"
#include "sim/base/shown_text.h"
#include "sim/money/amounts.h"

namespace quintet {
namespace {

constexpr double seconds_of_day = 86400;

Result<Dollars> amount(const std::string& given, std::string_view text) {
  const Result<Dollars> money = parse_dollars(text);
  const std::string asked = "--budget " + shown(given, 80);
  if (!money)
    return Error{asked, money.error().what +
                            "; \"20 M$\" buys the machine, \"3000 $/h\" is an hour's, \"5 M$/run\" "
                            "the whole run's"};
  if (*money <= Dollars{}) return Error{asked, "buys nothing: give more than 0 $"};
  return money;
}

std::optional<Error> add_budget(const std::string& given, Limits& limits) {
  const std::size_t slash = given.find('/');
  const std::string asked = "--budget " + shown(given, 80);
  std::optional<Dollars>* into = &limits.machine;
  if (slash != std::string::npos) {
    std::string of = given.substr(slash + 1);
    while (of.starts_with(' ')) of.erase(0, 1);
    if (of == "h" || of == "hour")
      into = &limits.hour;
    else if (of == "run")
      into = &limits.run;
    else
      return Error{asked, "expected /h or /run behind the money, found " + in_quotes(of)};
  }
  std::string_view money = std::string_view(given).substr(0, slash);
  while (money.ends_with(' ')) money.remove_suffix(1);
  const Result<Dollars> read = amount(given, money);
  if (!read) return read.error();
  if (*into) return Error{asked, "is a second budget for the same; give one"};
  *into = *read;
  return std::nullopt;
}

Objective objective_named(const std::string& word) {
  for (const Objective each : {Objective::speed, Objective::money, Objective::energy})
    if (name_of(each) == word) return each;
  return Objective::step;
}

std::optional<Error> without_run(const Wanted& wanted) {
  if (wanted.run) return std::nullopt;
  const char* const option = wanted.limits.deadline ? "--deadline"
                             : wanted.limits.run    ? "--budget"
                                                    : nullptr;
  if (option == nullptr) return std::nullopt;
  return Error{option, "is of a whole run: say how long that is by --tokens, --samples or --steps"};
}

}  // namespace

Result<Seconds> parse_long_time(std::string_view text) {
  const std::string_view number = text.substr(0, text.find_last_of("0123456789.") + 1);
  std::string_view unit = text.substr(number.size());
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const bool days = unit == "d" || unit == "day" || unit == "days";
  const Result<Seconds> time = parse_seconds(days ? std::string(number) + " s" : std::string(text));
  if (!time || !(*time > Seconds{}))
    return Error{"",
                 "expected a time above zero such as \"90 s\", \"30 min\", \"12 h\" or \"30 "
                 "d\", found " +
                     in_quotes(text)};
  return days ? seconds_of_day * *time : *time;
}

Result<Wanted> search_wish(const SearchArguments& arguments) {
  Wanted wanted;
  wanted.objective = objective_named(arguments.objective);
  wanted.headroom = arguments.headroom;
  wanted.pay = arguments.pay == name_of(Pay::owned) ? Pay::owned : Pay::rented;
  for (const std::string& budget : arguments.budgets)
    if (const auto error = add_budget(budget, wanted.limits)) return *error;
  if (!arguments.deadline.empty()) {
    const Result<Seconds> time = parse_long_time(arguments.deadline);
    if (!time) return Error{"--deadline", time.error().what};
    wanted.limits.deadline = *time;
  }
  const Result<std::optional<RunLength>> run = run_asked(arguments.run);
  if (!run) return run.error();
  wanted.run = *run;
  if (const auto error = without_run(wanted)) return *error;
  return wanted;
}

}  // namespace quintet
