#include "traces/readers/read_workload.h"

#include "sim/timeline/chrome_trace/chrome_trace.h"
#include "traces/workload/own_timeline.h"

namespace quintet {

Result<ReadWorkload> read_workload(std::span<const std::filesystem::path> files,
                                   const ReadingWishes&, const ReadingProgress& progress) {
  const Result<Timeline> timeline = read_chrome_trace(files.front(), progress);
  if (!timeline) return timeline.error();
  Result<Workload> workload = workload_of(*timeline, files.front().string());
  if (!workload) return workload.error();
  return ReadWorkload{std::move(*workload), "Quintet timeline"};
}

}  // namespace quintet
