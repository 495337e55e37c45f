// Several jobs on one fabric: as many walks over one queue and one fabric, in which the jobs'
// communications share links max-min fairly by their traffic classes. A job's steps follow one
// another: the next begins when the last task of the one before is over, or at its pace.
//
// Many steps need few walks. While the same jobs run, a mark is made whenever the one of the
// longest step begins a step: how far into their steps the others are. Where three marks, equally
// far apart, find all others equally far, what happened between two of them happens again, and the
// clock is put forward by as many such spans as leave every job a step and nobody's arrival out.
// Where no marks are alike to the picosecond within JointOptions::most_marks, jobs with steps of
// different length slide past one another; then the span at whose ends they are most nearly alike,
// out of the longer half of those seen, is taken to repeat (JointOutcome::repeats says so, and how
// unlike its ends were).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/units.h"
#include "sim/jobs/job.h"
#include "sim/jobs/joint_world.h"
#include "sim/simulate/walk/executor.h"

namespace quintet {

struct JointOptions {
  int most_marks = 64;     // before a span that is nearly alike is taken to repeat
  int kept_timelines = 0;  // of each job's first steps
  Folding folding = Folding::equivalent;
};

enum class Repeats {
  nothing,  // every step was walked
  exactly,
  nearly,
};

// What came of one job.
struct JobOutcome {
  Duration begins;  // its first step, since the first moment of all jobs
  Duration ends;    // its last step
  std::int64_t steps = 0;
  std::vector<Duration> walked;     // how long each step that was walked took
  std::vector<Timeline> timelines;  // times since the first moment of all jobs
  bool operator==(const JobOutcome&) const = default;
};

struct JointOutcome {
  std::vector<JobOutcome> jobs;
  std::vector<Bytes> carried;  // per link of the topology, until the last job ends
  Repeats repeats = Repeats::nothing;
  double unlike = 0;  // share of a step by which the ends of a span that nearly repeats differ
  std::uint64_t events = 0;
};

// How long a job's step takes from its first begin to its last end, on average.
Seconds mean_step(const JobOutcome& job);

// `usual`: per job, what its step takes alone; which is longest says where marks are made. Fails
// where a program stops half-way, and beyond 106 days.
Result<JointOutcome> joint_run(const JobsOnMachine& machine, const JobDecisions& decisions,
                               const std::vector<Duration>& usual, const JointOptions& options);

}  // namespace quintet
