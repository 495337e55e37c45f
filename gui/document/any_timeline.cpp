#include "gui/document/any_timeline.h"

#include "sim/timeline/trace_reader.h"

#ifdef QUINTET_READS_TRACES
#include "traces/readers/read_workload.h"
#endif

namespace quintet::gui {

#ifdef QUINTET_READS_TRACES
namespace {

Result<Timeline> foreign_timeline(const std::filesystem::path& file,
                                  const ReadingProgress& progress) {
  const Result<ReadWorkload> read = read_workload(std::span(&file, 1), {}, progress);
  if (!read) return read.error();
  if (!read->workload.recorded)
    return Error{file.string(),
                 "says what ranks do, not when they did it: replay it on a machine first (quintet "
                 "replay FILE --topology MACHINE -o step.json)"};
  return timeline_of(read->workload);
}

}  // namespace
#endif

Result<Timeline> read_any_timeline(const std::filesystem::path& file,
                                   const ReadingProgress& progress) {
#ifdef QUINTET_READS_TRACES
  if (is_foreign_trace(file)) return foreign_timeline(file, progress);
#endif
  return read_timeline(file, progress);
}

}  // namespace quintet::gui
