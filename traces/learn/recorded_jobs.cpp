#include "traces/learn/recorded_jobs.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "sim/packing/packing.h"
#include "traces/kineto/kineto_reader.h"
#include "traces/nccl/profiler.h"
#include "traces/nsight/nsight.h"
#include "traces/perfetto/perfetto.h"
#include "traces/pytorch_et/execution_trace.h"
#include "traces/pytorch_et/join.h"

namespace quintet {

namespace {

namespace fs = std::filesystem;
using Traces = std::vector<RankTrace>;

Result<Traces> read_one_kineto(const fs::path& file, const ReadingProgress& progress) {
  Result<RankTrace> trace = read_kineto(file, progress);
  if (!trace) return trace.error();
  Traces traces;
  traces.push_back(std::move(*trace));
  return traces;
}

struct Format {
  bool (*takes)(std::string_view beginning) = nullptr;
  Result<Traces> (*read)(const fs::path& file, const ReadingProgress& progress) = nullptr;
};

// Asked in this order, as read_workload() asks. NCCL Inspector's lines have no shapes, and quintet
// fit reads them as measurements.
constexpr std::array formats{
    Format{is_kineto, read_one_kineto},
    Format{is_nsight, read_nsight},
    Format{is_nccl_profile, read_nccl_profile},
    Format{is_perfetto, read_perfetto},
};

std::string beginning_of(const fs::path& file) {
  std::string text(1 << 14, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return unpacked_beginning(text, 4096);
}

const Format* format_of(std::string_view beginning) {
  const auto own = std::find_if(formats.begin(), formats.end(),
                                [&](const Format& each) { return each.takes(beginning); });
  return own == formats.end() ? nullptr : &*own;
}

std::optional<Error> join_executions(Traces& traces, const std::vector<fs::path>& executions,
                                     const ReadingProgress& progress) {
  for (std::size_t i = 0; i < std::min(traces.size(), executions.size()); ++i) {
    const Result<ExecutionTrace> execution = read_execution_trace(executions[i], progress);
    if (!execution) return execution.error();
    join(traces[i], *execution);
  }
  return std::nullopt;
}

// As read_workload() tells them.
bool is_own(std::string_view beginning) {
  return beginning.find("\"quintet\":{") != std::string_view::npos &&
         beginning.find("\"schema_version\"") != std::string_view::npos;
}

}  // namespace

bool is_own_timeline(const fs::path& file) {
  return is_own(beginning_of(file));
}

bool is_recording(const fs::path& file) {
  const std::string beginning = beginning_of(file);
  if (is_own(beginning)) return false;
  return is_execution_trace(beginning) || format_of(beginning) != nullptr;
}

Result<Traces> rank_traces(std::span<const fs::path> files, const ReadingProgress& progress) {
  Traces traces;
  std::vector<fs::path> executions;
  const Format* first = nullptr;
  for (const fs::path& file : files) {
    const std::string beginning = beginning_of(file);
    if (is_execution_trace(beginning)) {
      executions.push_back(file);
      continue;
    }
    const Format* const own = format_of(beginning);
    if (own == nullptr) return Error{file.string(), "is no recording that can be learnt from"};
    if (first != nullptr && own != first)
      return Error{file.string(),
                   "is of another format than the files before it: give the traces of one job, of "
                   "one format"};
    first = own;
    Result<Traces> read = own->read(file, progress);
    if (!read) return read.error();
    std::move(read->begin(), read->end(), std::back_inserter(traces));
  }
  if (const auto error = join_executions(traces, executions, progress)) return *error;
  if (traces.empty())
    return Error{files.empty() ? "" : files.front().string(),
                 "has no times: give an execution trace with the Kineto trace of the same step"};
  return traces;
}

}  // namespace quintet
