// The jobs of one part of the machine that shares no link and no place with the rest, on their own
// clock (joint_run.h). Inside the room only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/base/event_queue.h"
#include "sim/jobs/classed_fabric.h"
#include "sim/jobs/joint_run.h"
#include "sim/jobs/span_marks.h"

namespace quintet {

// What is known of a job before it runs.
struct RunningInput {
  ExecutorInput input;  // of each step
  JobDecision decision;
  Duration arrives, usual;
  std::int64_t steps = 0;
  int number = 0;                  // among all jobs
  std::vector<std::size_t> after;  // of the part: whose places it takes over
};

class RunningJobs {
 public:
  // Outlives neither the queue nor the fabric that the inputs name.
  RunningJobs(EventQueue& events, Fabric& fabric, std::vector<RunningInput> jobs,
              const JointOptions& options);

  // To the end of the last job.
  std::optional<Error> run();

  JobOutcome outcome(std::size_t job) const { return jobs_[job].outcome; }
  int number(std::size_t job) const { return jobs_[job].given.number; }
  std::vector<double> carried() const;  // per link of the fabric
  Repeats repeats() const { return repeats_; }
  double unlike() const { return unlike_; }

 private:
  enum class Stage { waiting, delayed, pausing, stepping, over };
  struct Running {
    RunningInput given;
    Stage stage = Stage::waiting;
    Instant began;            // the present step, or its begin to come; on the queue's clock
    Instant first;            // its first step, likewise
    std::int64_t walked = 0;  // steps
    std::int64_t left = 0;
    std::optional<EventId> beginning;  // in the queue while it is delayed
    std::unique_ptr<ClassedFabric> fabric;
    std::unique_ptr<Walk> walk, before;  // the step before outlives the instant of its end
    JobOutcome outcome;
  };

  void may_begin(std::size_t job);
  void begin_at(std::size_t job, Instant when);
  void begin_first(std::size_t job);
  void begin_step(std::size_t job);
  void end_step(std::size_t job);
  void end_job(std::size_t job);
  void mark(std::size_t job);
  std::optional<std::size_t> leading() const;
  void put_forward(const RepeatingSpan& span);
  Duration elapsed() const { return (events_.now() - Instant{}) + skipped_; }

  EventQueue& events_;
  Fabric& fabric_;
  const JointOptions& options_;
  std::vector<Running> jobs_;
  SpanMarks marks_;
  Duration skipped_;  // by which the clock has been put forward
  std::vector<double> carried_more_;
  std::optional<Error> failed_;
  Repeats repeats_ = Repeats::nothing;
  double unlike_ = 0;
};

}  // namespace quintet
