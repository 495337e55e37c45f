#include "sim/jobs/running_jobs.h"

#include <algorithm>
#include <utility>

namespace quintet {

namespace {

Timeline later_by(Duration time, Timeline timeline) {
  for (Span& span : timeline.spans) {
    span.start = span.start + time;
    span.moving = span.moving + time;
    span.end = span.end + time;
  }
  for (HostGap& gap : timeline.host_gaps) {
    gap.start = gap.start + time;
    gap.end = gap.end + time;
  }
  timeline.end = timeline.end + time;
  return timeline;
}

}  // namespace

RunningJobs::RunningJobs(EventQueue& events, Fabric& fabric, std::vector<RunningInput> jobs,
                         const JointOptions& options)
    : events_(events), fabric_(fabric), options_(options), marks_(options.most_marks) {
  for (RunningInput& each : jobs) {
    Running job{std::move(each)};
    job.left = job.given.steps;
    job.fabric = std::make_unique<ClassedFabric>(fabric, job.given.decision.traffic);
    jobs_.push_back(std::move(job));
  }
}

std::optional<Error> RunningJobs::run() {
  for (std::size_t job = 0; job < jobs_.size(); ++job) may_begin(job);
  events_.run();
  if (failed_) return failed_;
  for (Running& job : jobs_) {
    if (job.stage == Stage::over) continue;
    if (events_.now() == end_of_time || !job.walk)
      return Error{"the jobs",
                   "would take more than 106 days, the most that the simulator's clock "
                   "holds; give them fewer steps"};
    const Result<Execution> stuck = job.walk->ended();
    return stuck ? Error{"the jobs", "came to a stop"} : stuck.error();
  }
  return std::nullopt;
}

// Where it waits for nobody's places any longer.
void RunningJobs::may_begin(std::size_t job) {
  Running& self = jobs_[job];
  for (const std::size_t other : self.given.after)
    if (jobs_[other].stage != Stage::over) return;
  const Duration since = std::max(elapsed(), self.given.arrives);
  self.stage = Stage::delayed;
  begin_at(job, Instant{} + (since - skipped_) + duration(self.given.decision.offset));
}

void RunningJobs::begin_at(std::size_t job, Instant when) {
  Running& self = jobs_[job];
  self.began = when;
  self.beginning = events_.at(when, [this, job] {
    jobs_[job].beginning.reset();
    if (jobs_[job].stage == Stage::delayed)
      begin_first(job);
    else
      begin_step(job);
  });
}

void RunningJobs::begin_first(std::size_t job) {
  jobs_[job].first = events_.now();
  jobs_[job].outcome.begins = elapsed();
  marks_.clear();
  begin_step(job);
}

void RunningJobs::begin_step(std::size_t job) {
  Running& self = jobs_[job];
  self.stage = Stage::stepping;
  self.began = events_.now();
  ++self.walked;
  mark(job);
  ExecutorInput input{self.given.input.program,
                      self.given.input.plan,
                      self.given.input.costs,
                      self.given.input.communications,
                      self.given.input.world,
                      events_,
                      *self.fabric};
  ExecuteOptions options;
  options.finished = [this, job] { events_.at(events_.now(), [this, job] { end_step(job); }); };
  self.before = std::move(self.walk);
  self.walk = std::make_unique<Walk>(input, std::move(options));
  self.walk->begin();
}

void RunningJobs::end_step(std::size_t job) {
  Running& self = jobs_[job];
  self.outcome.walked.push_back(events_.now() - self.began);
  ++self.outcome.steps;
  if (self.outcome.timelines.size() < static_cast<std::size_t>(options_.kept_timelines)) {
    Result<Execution> step = self.walk->ended();
    if (step) self.outcome.timelines.push_back(later_by(skipped_, std::move(step->timeline)));
  }
  if (--self.left == 0) return end_job(job);
  const Duration pace = duration(self.given.decision.pace);
  const Instant due = self.first + Duration{pace.picoseconds * self.walked};
  self.stage = Stage::pausing;
  if (due > events_.now())
    begin_at(job, due);
  else
    begin_step(job);
}

void RunningJobs::end_job(std::size_t job) {
  jobs_[job].stage = Stage::over;
  jobs_[job].outcome.ends = elapsed();
  marks_.clear();
  for (std::size_t other = 0; other < jobs_.size(); ++other)
    if (jobs_[other].stage == Stage::waiting) may_begin(other);
}

// The running job of the longest step.
std::optional<std::size_t> RunningJobs::leading() const {
  std::optional<std::size_t> longest;
  for (std::size_t job = 0; job < jobs_.size(); ++job) {
    const bool runs = jobs_[job].stage == Stage::stepping || jobs_[job].stage == Stage::pausing;
    if (runs && (!longest || jobs_[job].given.usual > jobs_[*longest].given.usual)) longest = job;
  }
  return longest;
}

void RunningJobs::mark(std::size_t job) {
  if (leading() != job) return;
  SpanMark mark{events_.now(), {}, {}, fabric_.carried()};
  std::vector<bool> running;
  std::vector<Duration> usual;
  for (const Running& each : jobs_) {
    running.push_back(each.stage == Stage::stepping || each.stage == Stage::pausing);
    usual.push_back(each.given.usual);
    mark.into.push_back(events_.now() - each.began);
    mark.walked.push_back(each.walked);
  }
  marks_.add(std::move(mark));
  if (const auto span = marks_.span(running, usual)) put_forward(*span);
}

// As often as leaves every running job a step after this one, and whoever is to begin its time.
void RunningJobs::put_forward(const RepeatingSpan& span) {
  std::int64_t times = std::numeric_limits<std::int64_t>::max();
  for (std::size_t job = 0; job < jobs_.size(); ++job) {
    const Running& self = jobs_[job];
    if (self.stage == Stage::delayed)
      times = std::min(times, (self.began - events_.now()).picoseconds / span.length.picoseconds);
    if ((self.stage == Stage::stepping || self.stage == Stage::pausing) && span.steps[job] > 0)
      times = std::min(times, (self.left - 1) / span.steps[job]);
  }
  marks_.clear();
  if (times < 1) return;
  const Duration forward{span.length.picoseconds * times};
  for (std::size_t job = 0; job < jobs_.size(); ++job) {
    Running& self = jobs_[job];
    if (self.stage == Stage::delayed) {
      events_.cancel(*self.beginning);
      begin_at(job, self.began + Duration{-forward.picoseconds});
    }
    if (self.stage != Stage::stepping && self.stage != Stage::pausing) continue;
    self.left -= times * span.steps[job];
    self.outcome.steps += times * span.steps[job];
  }
  carried_more_.resize(span.carried.size());
  for (std::size_t link = 0; link < span.carried.size(); ++link)
    carried_more_[link] += static_cast<double>(times) * span.carried[link];
  skipped_ += forward;
  if (span.unlike > 0) repeats_ = Repeats::nearly;
  if (repeats_ == Repeats::nothing) repeats_ = Repeats::exactly;
  unlike_ = std::max(unlike_, span.unlike);
}

std::vector<double> RunningJobs::carried() const {
  std::vector<double> all = fabric_.carried();
  for (std::size_t link = 0; link < carried_more_.size(); ++link) all[link] += carried_more_[link];
  return all;
}

}  // namespace quintet
