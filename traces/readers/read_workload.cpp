#include "traces/readers/read_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <optional>
#include <utility>

#include "sim/base/shown_text.h"
#include "sim/packing/packing.h"
#include "sim/timeline/chrome_trace/chrome_trace.h"
#include "traces/chakra/chakra.h"
#include "traces/kineto/kineto_reader.h"
#include "traces/nccl/communication_log.h"
#include "traces/nccl/inspector.h"
#include "traces/nccl/members.h"
#include "traces/nccl/nccl_tests.h"
#include "traces/nccl/profiler.h"
#include "traces/nsight/nsight.h"
#include "traces/perfetto/perfetto.h"
#include "traces/pytorch_et/execution_trace.h"
#include "traces/pytorch_et/join.h"
#include "traces/simai/simai.h"
#include "traces/workload/own_timeline.h"
#include "traces/workload/recorded_job.h"

namespace quintet {

namespace {

namespace fs = std::filesystem;
using Files = std::vector<fs::path>;

// One of the formats, and how files of it become a workload. Null: a timeline of ours, which is
// handed on as it is, too.
struct Format {
  std::string_view name;
  bool (*takes)(std::string_view beginning) = nullptr;
  Result<Workload> (*read)(const Files& files, const ReadingWishes& wishes,
                           const ReadingProgress& progress) = nullptr;
};

bool is_own(std::string_view beginning) {
  return beginning.find("\"quintet\":{") != std::string_view::npos &&
         beginning.find("\"schema_version\"") != std::string_view::npos;
}

Result<ReadWorkload> read_own(const Files& files, const ReadingProgress& progress) {
  if (files.size() > 1)
    return Error{files[1].string(), "a timeline of ours holds all ranks of a step: give one file"};
  Result<Timeline> timeline = read_chrome_trace(files.front(), progress);
  if (!timeline) return timeline.error();
  Result<Workload> workload = workload_of(*timeline, files.front().string());
  if (!workload) return workload.error();
  return ReadWorkload{std::move(*workload), "Quintet timeline", std::move(*timeline)};
}

// Files of which each may hold several ranks.
template <Result<std::vector<RankTrace>> (*read)(const fs::path&, const ReadingProgress&)>
Result<Workload> read_each(const Files& files, const ReadingWishes& wishes,
                           const ReadingProgress& progress) {
  std::vector<RankTrace> traces;
  for (const fs::path& file : files) {
    Result<std::vector<RankTrace>> several = read(file, progress);
    if (!several) return several.error();
    std::move(several->begin(), several->end(), std::back_inserter(traces));
  }
  if (traces.empty()) return Error{files.front().string(), "records nothing of any process"};
  agree_on_ranks(traces);
  return workload_of(std::move(traces), wishes.step);
}

std::string beginning_of(const fs::path& file) {
  std::string text(1 << 14, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return unpacked_beginning(text, 4096);
}

// With each trace the execution trace that stands in the same place among those given.
Result<Workload> read_kineto_job(const Files& files, const ReadingWishes& wishes,
                                 const ReadingProgress& progress) {
  std::vector<RankTrace> traces;
  Files executions;
  for (const fs::path& file : files) {
    if (is_execution_trace(beginning_of(file))) {
      executions.push_back(file);
      continue;
    }
    Result<RankTrace> trace = read_kineto(file, progress);
    if (!trace) return trace.error();
    traces.push_back(std::move(*trace));
  }
  if (traces.empty())
    return Error{files.front().string(),
                 "is an execution trace, which has no times: give it with the Kineto trace of the "
                 "same step"};
  std::vector<WorkloadRemark> remarks;
  for (std::size_t i = 0; i < std::min(traces.size(), executions.size()); ++i) {
    const Result<ExecutionTrace> execution = read_execution_trace(executions[i], progress);
    if (!execution) return execution.error();
    const JoinedTraces joined = join(traces[i], *execution);
    remarks.push_back({fmt::format("{} of {} nodes of {} are in {}", joined.matched, joined.nodes,
                                   executions[i].filename().string(), traces[i].file)});
  }
  Result<Workload> workload = workload_of(std::move(traces), wishes.step);
  if (workload) workload->remarks.insert(workload->remarks.end(), remarks.begin(), remarks.end());
  return workload;
}

bool is_kineto_or_execution(std::string_view beginning) {
  return is_kineto(beginning) || is_execution_trace(beginning);
}

Result<Workload> read_chakra_job(const Files& files, const ReadingWishes&,
                                 const ReadingProgress& progress) {
  Result<Workload> workload = read_chakra(files, progress);
  if (workload) complete_groups(*workload);
  return workload;
}

Result<Workload> read_simai_job(const Files& files, const ReadingWishes&,
                                const ReadingProgress& progress) {
  if (files.size() > 1) return Error{files[1].string(), "one file says what all ranks do"};
  Result<Workload> workload = read_simai(files.front(), 0, progress);
  if (workload) complete_groups(*workload);
  return workload;
}

Result<Workload> refuse_tests(const Files& files, const ReadingWishes&, const ReadingProgress&) {
  return Error{files.front().string(),
               "is of nccl-tests: it measures collectives and no step; quintet fit learns from it"};
}

Result<Workload> refuse_log(const Files& files, const ReadingWishes&,
                            const ReadingProgress& progress) {
  const Result<CommunicationLog> log = read_nccl_log(files.front(), progress);
  if (!log) return log.error();
  return Error{files.front().string(),
               "is a log of NCCL: it says what was asked for, not how long it took; record with "
               "NCCL's profiler plugin, its Inspector or PyTorch's profiler"};
}

// Asked in this order.
constexpr std::array formats{
    Format{"Quintet timeline", is_own, nullptr},
    Format{"Kineto", is_kineto_or_execution, read_kineto_job},
    Format{"Nsight Systems", is_nsight, read_each<read_nsight>},
    Format{"NCCL Inspector", is_nccl_inspector, read_each<read_nccl_inspector>},
    Format{"NCCL Inspector for Prometheus", is_nccl_prometheus, read_each<read_nccl_inspector>},
    Format{"NCCL profiler", is_nccl_profile, read_each<read_nccl_profile>},
    Format{"nccl-tests", is_nccl_tests, refuse_tests},
    Format{"NCCL log", is_nccl_log, refuse_log},
    Format{"SimAI", is_simai, read_simai_job},
    Format{"Chakra", is_chakra, read_chakra_job},
    Format{"Perfetto", is_perfetto, read_each<read_perfetto>},
};

std::string names_of_formats() {
  std::string names;
  for (const Format& each : formats)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
  return names;
}

// A folder stands for what lies in it, in order of names.
Result<Files> files_in(std::span<const fs::path> given) {
  Files files;
  std::error_code wrong;
  for (const fs::path& path : given) {
    if (!fs::is_directory(path, wrong)) {
      if (!fs::exists(path, wrong)) return Error{path.string(), "no such file"};
      files.push_back(path);
      continue;
    }
    Files inside;
    for (const fs::directory_entry& entry : fs::directory_iterator(path, wrong))
      if (entry.is_regular_file(wrong)) inside.push_back(entry.path());
    if (inside.empty()) return Error{path.string(), "is a directory without files: give traces, or a directory of them"};
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

// Files of process groups lie beside Chakra's.
bool is_beside(const Format& format, const fs::path& file) {
  return format.name == "Chakra" && file.extension() == ".json";
}

Result<const Format*> format_of(const Files& files) {
  const Format* found = nullptr;
  for (const fs::path& file : files) {
    if (found != nullptr && is_beside(*found, file)) continue;
    const std::string beginning = beginning_of(file);
    const auto own = std::find_if(formats.begin(), formats.end(),
                                  [&](const Format& each) { return each.takes(beginning); });
    if (own == formats.end()) {
      if (files.size() > 1 && file.extension() == ".json" && found == nullptr) continue;
      return Error{file.string(), fmt::format("begins as no trace that can be read here; known are "
                                              "{}; archives are to be unpacked before",
                                              names_of_formats())};
    }
    if (found != nullptr && found != own)
      return Error{file.string(), fmt::format("is of {}, and those before it of {}: give the "
                                              "traces of one job, of one format",
                                              own->name, found->name)};
    found = own;
  }
  if (found == nullptr)
    return Error{files.front().string(),
                 "begins as no trace that can be read here; known are " + names_of_formats()};
  return found;
}

}  // namespace

bool is_foreign_trace(const fs::path& file) {
  const std::string beginning = beginning_of(file);
  return !is_own(beginning) &&
         std::any_of(formats.begin(), formats.end(),
                     [&](const Format& each) { return each.takes(beginning); });
}

Result<ReadWorkload> read_workload(std::span<const fs::path> given, const ReadingWishes& wishes,
                                   const ReadingProgress& progress) {
  const Result<Files> files = files_in(given);
  if (!files) return files.error();
  const Result<const Format*> format = format_of(*files);
  if (!format) return format.error();
  if ((*format)->read == nullptr) return read_own(*files, progress);
  Result<Workload> workload = (*format)->read(*files, wishes, progress);
  if (!workload) return workload.error();
  if (workload->name.empty()) workload->name = files->front().filename().string();
  return ReadWorkload{std::move(*workload), std::string((*format)->name), {}};
}

}  // namespace quintet
