#include "engine/adapt/adapting_job.h"

#include <fmt/format.h>

#include <utility>

namespace quintet::engine {

AdaptingJob::AdaptingJob(Plan home, PredictStep predict, const CandidateLimits& limits)
    : home_(std::move(home)),
      running_(home_),
      predict_(std::move(predict)),
      believed_{watch_of(home_.parallelism.pipeline - 1)} {
  rules_.candidates = limits;
}

Result<Adaptation> AdaptingJob::after_step(const Program& program, std::span<const ToldPass> all) {
  const Result<Timeline> timeline = told_timeline(program, all);
  if (!timeline) return timeline.error();
  Adaptation next = adapted(believed_, *timeline, home_, running_, predict_, rules_);
  believed_ = next.believed;
  running_ = next.plan;
  return next;
}

std::string adaptation_line(const Adaptation& next) {
  if (next.back)
    return fmt::format(
        "Plan: {} takes {:.1f} ms a step, {:.1f} ms before it: back to {}, and it is not tried "
        "again for links so late",
        next.back->from, 1e3 * next.back->after.value, 1e3 * next.back->before.value, next.name);
  std::string line;
  const std::vector<Seconds> late = delays(next.believed.watch);
  for (std::size_t link = 0; link < late.size(); ++link)
    if (const Seconds delay = late[link]; delay > Seconds{})
      line += fmt::format("{}messages between stages {} and {} are {:.1f} ms late",
                          line.empty() ? "" : ", ", link, link + 1, 1e3 * delay.value);
  if (line.empty()) line = "messages between stages come as usual";
  line = fmt::format("Plan: {}; from here on {}", line, next.name);
  for (const Tried& each : next.tried)
    if (each.name == next.name) line += fmt::format(", {:.1f} ms predicted", 1e3 * each.step.value);
  return line;
}

}  // namespace quintet::engine
