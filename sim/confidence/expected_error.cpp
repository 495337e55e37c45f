#include "sim/confidence/expected_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace quintet {

namespace {

const StepResiduals* group_of(const PublishedResiduals& published, const std::string& stack,
                              const std::string& gpu) {
  const auto found = std::find_if(
      published.step_time.begin(), published.step_time.end(),
      [&](const StepResiduals& each) { return each.stack == stack && each.gpu == gpu; });
  return found == published.step_time.end() ? nullptr : &*found;
}

// "none of them", or "only 7 of them".
std::string few(const PublishedResiduals& published, const std::string& stack,
                const std::string& gpu) {
  const StepResiduals* const own = group_of(published, stack, gpu);
  return own == nullptr || own->rows == 0 ? "none of them" : fmt::format("only {}", own->rows);
}

// A row of the table of groups: what to look for, how far to widen, how to say it.
struct Group {
  std::string stack, gpu;
  double widened = 1;
  std::string of, but;
};

// Without a named stack the first two would be those of any.
std::vector<Group> groups(const PublishedResiduals& published, const std::string& stack,
                          const std::string& gpu) {
  const Widening& by = published.widening;
  std::vector<Group> all;
  if (!stack.empty()) {
    const std::string own = few(published, stack, gpu);
    all.push_back({stack, gpu, 1, fmt::format("of {} on {}", stack, gpu), ""});
    all.push_back({stack, "", by.other_gpu, "of " + stack, fmt::format("{} on {}", own, gpu)});
    all.push_back({"", gpu, by.other_stack, "on " + gpu, fmt::format("{} of {}", own, stack)});
  } else {
    all.push_back({"", gpu, by.other_stack, "on " + gpu, "no --stack named"});
  }
  all.push_back({"", "", by.both_other, "on any card",
                 fmt::format("{} on {}", few(published, "", gpu), gpu)});
  return all;
}

ExpectedError error_of(const StepResiduals& residuals, const Group& group) {
  const double least = residuals.p50 + group.widened * (residuals.p05 - residuals.p50);
  const double most = residuals.p50 + group.widened * (residuals.p95 - residuals.p50);
  std::string rests_on = fmt::format("{} published steps {}", residuals.rows, group.of);
  if (!group.but.empty()) rests_on += fmt::format(", {}", group.but);
  if (group.widened > 1)
    rests_on += fmt::format(", so {:.2g} times as wide as theirs", group.widened);
  // ln(predicted / measured) at its most is the shortest real step.
  return {std::exp(-most), std::exp(-least), residuals.rows, group.widened, std::move(rests_on)};
}

}  // namespace

std::optional<ExpectedError> expected_error(const PublishedResiduals& published,
                                            const std::string& stack, const std::string& gpu) {
  if (gpu.empty()) return std::nullopt;
  for (const Group& group : groups(published, stack, gpu)) {
    const StepResiduals* const residuals = group_of(published, group.stack, group.gpu);
    if (residuals != nullptr && residuals->rows >= fewest_rows) return error_of(*residuals, group);
  }
  return std::nullopt;
}

}  // namespace quintet
