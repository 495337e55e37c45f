// What job a recording is of: as much of its model and plan as the trace tells, each with what
// tells it, so that the next question can be put as a plan.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "traces/learn/recognised_model.h"
#include "traces/trace/rank_trace.h"
#include "traces/workload/workload.h"

namespace quintet {

struct RecognisedJob {
  RecognisedModel model;  // of one rank of the job: the first that tells anything
  std::optional<RecognisedNumber> tensor, context, expert, data, pipeline;  // ranks of a group
  std::optional<RecognisedNumber> bucket;                                   // bytes
  bool operator==(const RecognisedJob&) const = default;
};

// `traces`: those that the workload was made of; none of workloads that were made of something
// else. `step`: as chosen_step() takes it. Nothing: neither model nor plan is told.
std::optional<RecognisedJob> recognise(const Workload& workload,
                                       std::span<const RankTrace> traces = {},
                                       const std::string& step = {});

// "Looks like: width 1280, 36 layers, ..., tensor 2 x data 4, buckets of 25 MB", then a line of
// each number's evidence.
std::string text_of(const RecognisedJob& job);

}  // namespace quintet
