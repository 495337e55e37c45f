#include "calibrate/fit/recordings.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/timeline/chrome_trace/chrome_trace.h"
#include "traces/learn/collective_samples.h"
#include "traces/learn/kernel_samples.h"
#include "traces/learn/launch_samples.h"
#include "traces/learn/recorded_jobs.h"
#include "traces/workload/own_timeline.h"
#include "traces/workload/recorded_job.h"

namespace quintet::calibrate {
namespace {

namespace fs = std::filesystem;

Swept swept(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return Swept::all_reduce;
    case CollectiveKind::reduce_scatter:
      return Swept::reduce_scatter;
    case CollectiveKind::all_gather:
      return Swept::all_gather;
    case CollectiveKind::broadcast:
      return Swept::broadcast;
    case CollectiveKind::reduce:
      return Swept::reduce;
    case CollectiveKind::all_to_all:
      return Swept::all_to_all;
  }
  return Swept::all_reduce;
}

// The words that kernel_fits.h knows.
std::string word_of(MemoryBound what) {
  switch (what) {
    case MemoryBound::norm:
      return "input_layernorm";
    case MemoryBound::activation:
      return "mlp_act";
    case MemoryBound::addition:
      return "add";
  }
  return {};
}

double real(std::int64_t whole) {
  return static_cast<double>(whole);
}

class Recordings {
 public:
  Measurements all() && {
    for (const auto& [what, count] : left_out_)
      all_.left_out.push_back(fmt::format("{} {}", count, what));
    return std::move(all_);
  }

  void take(const RankTrace& trace) {
    const KernelSamples kernels = kernel_samples(trace);
    for (const ProductSample& each : kernels.products)
      all_.gemms.push_back({each.type, real(each.shape.m), real(each.shape.n), real(each.shape.k),
                            each.time, each.gpu, each.kernel, trace.file});
    for (const AttentionTime& each : kernels.attentions)
      all_.attentions.push_back(
          {each.type, each.backward ? AttentionPass::backward : AttentionPass::forward, each.causal,
           real(each.sequences), real(each.heads), real(each.length), real(each.head_dim),
           each.time, each.gpu, each.library, trace.file});
    for (const MemoryBoundSample& each : kernels.memories)
      all_.memories.push_back({word_of(each.what), false, real(each.rows), real(each.columns),
                               each.tensors, each.type, each.time, each.gpu, "", trace.file});
    leave(kernels.left_out);
    const LaunchSamples launches = launch_samples(trace);
    leave(launches.left_out);
    for (const Seconds each : launches.between)
      all_.launches.push_back({each, launches.gpu, trace.file});
    for (const Seconds each : launches.gaps)
      all_.launch_gaps.push_back({each, launches.gpu, trace.file});
  }

  void take(const Workload& workload, const std::string& gpu, const std::string& source) {
    const RecordedCollectives found = collective_samples(workload);
    for (const RecordedCollective& each : found.collectives)
      all_.collectives.push_back({.kind = swept(each.kind),
                                  .hosts = each.hosts,
                                  .ranks = each.ranks,
                                  .size = each.size,
                                  .time = each.time,
                                  .gpu = gpu,
                                  .source = source});
    leave(found.left_out);
  }

 private:
  void leave(const std::vector<LeftOut>& left_out) {
    for (const LeftOut& each : left_out) left_out_[each.what] += each.count;
  }

  Measurements all_;
  std::map<std::string, std::int64_t> left_out_;
};

std::optional<Error> take_own(Recordings& recordings, const fs::path& file) {
  const Result<Timeline> timeline = read_chrome_trace(file);
  if (!timeline) return timeline.error();
  if (!timeline->measurement)
    return Error{file.string(),
                 "is a prediction: it measures nothing; give a timeline that quintet run wrote"};
  const Result<Workload> workload = workload_of(*timeline, file.string());
  if (!workload) return workload.error();
  recordings.take(*workload, "", file.string());
  return std::nullopt;
}

}  // namespace

bool is_recorded(const fs::path& file) {
  std::error_code failed;
  return fs::is_regular_file(file, failed) && (is_own_timeline(file) || is_recording(file));
}

Result<Measurements> read_recordings(std::span<const fs::path> files) {
  Recordings recordings;
  std::vector<fs::path> others;
  for (const fs::path& file : files) {
    if (!is_own_timeline(file)) {
      others.push_back(file);
      continue;
    }
    if (const auto error = take_own(recordings, file)) return *error;
  }
  if (others.empty()) return std::move(recordings).all();
  Result<std::vector<RankTrace>> traces = rank_traces(others);
  if (!traces) return traces.error();
  for (const RankTrace& each : *traces) recordings.take(each);
  const std::vector<TraceDevice>& devices = traces->front().devices;
  const std::string gpu = devices.empty() ? "" : devices.front().name;
  const std::string source = traces->front().file;
  const Result<Workload> workload = workload_of(std::move(*traces), "");
  if (!workload) return workload.error();
  recordings.take(*workload, gpu, source);
  return std::move(recordings).all();
}

}  // namespace quintet::calibrate
