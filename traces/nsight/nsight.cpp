#include "traces/nsight/nsight.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sim/base/shown_text.h"
#include "traces/nccl/members.h"
#include "traces/nsight/tables.h"

namespace quintet {
namespace {

using namespace nsight;

constexpr std::array<std::string_view, 8> tables_read{
    "CUPTI_ACTIVITY_KIND_KERNEL",          "CUPTI_ACTIVITY_KIND_MEMCPY",
    "CUPTI_ACTIVITY_KIND_MEMSET",          "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
    "CUPTI_ACTIVITY_KIND_RUNTIME",         "NVTX_EVENTS",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "CUPTI_ACTIVITY_KIND_CUDA_EVENT"};
constexpr std::size_t tables_of_work = 6;  // the first of them

// Some work is told of in one of these.
std::optional<Error> no_work(const Database& database) {
  for (std::size_t i = 0; i < tables_of_work; ++i)
    if (database.has(std::string(tables_read[i]))) return std::nullopt;
  std::string found;
  for (const std::string& table : database.tables())
    if (found.size() < 120) found += (found.empty() ? "" : ", ") + shown(table);
  return Error{database.where(),
               fmt::format("is an SQLite database without a table of Nsight Systems in which work "
                           "would stand; expected {} or another of `nsys profile "
                           "--trace=cuda,nvtx`, found {}",
                           tables_read.front(), found.empty() ? "no table" : found)};
}

// Tables that tell how something is called, or of the recording itself.
bool is_of_events(const std::string& table) {
  constexpr std::array<std::string_view, 14> others{
      "ENUM_",     "TARGET_INFO", "META_DATA",       "EXPORT_META",    "ANALYSIS_",
      "StringIds", "ThreadNames", "PROCESS",         "NVTX_",          "MPI_RANKS",
      "sqlite_",   "DIAGNOSTIC",  "CUDA_CALLCHAINS", "OSRT_CALLCHAINS"};
  if (std::find(tables_read.begin(), tables_read.end(), table) != tables_read.end()) return false;
  return std::none_of(others.begin(), others.end(),
                      [&](std::string_view other) { return table.starts_with(other); });
}

std::vector<RankTrace> finished(const Database& database, Processes& processes) {
  for (const std::string& table : database.tables())
    if (is_of_events(table))
      processes.leave_out("rows of the table " + shown(table), database.rows(table));
  if (!processes.all().empty())
    for (const auto& [what, count] : processes.left_out())
      processes.all().begin()->second.draft.leave_out(what, count);
  std::vector<RankTrace> traces;
  for (auto& [global, process] : processes.all()) {
    process.nccl.settle(process.draft);
    if (!process.draft.trace().events.empty()) traces.push_back(process.draft.finish());
  }
  agree_on_ranks(traces);
  return traces;
}

Result<std::vector<RankTrace>> read(Database& database, const ReadingProgress& progress) {
  if (auto error = no_work(database)) return *error;
  database.tell(progress, {tables_read.begin(), tables_read.end()});
  Processes processes(database);
  for (const auto part : {read_only_process, read_thread_names, read_streams, read_waits,
                          read_calls, read_nvtx, read_targets})
    if (auto error = part(database, processes)) return *error;
  const std::vector<RankTrace> traces = finished(database, processes);
  if (traces.empty())
    return Error{database.where(),
                 "holds no event of any process; expected kernels, copies, calls or ranges of "
                 "NVTX (nsys profile --trace=cuda,nvtx)"};
  return traces;
}

}  // namespace

bool is_nsight(std::string_view beginning) {
  return beginning.starts_with(std::string_view("SQLite format 3\0", 16));
}

Result<std::vector<RankTrace>> read_nsight(const std::filesystem::path& file,
                                           const ReadingProgress& progress) {
  Result<Database> database = Database::open(file);
  if (!database) return database.error();
  return read(*database, progress);
}

Result<std::vector<RankTrace>> parse_nsight(std::span<const char> bytes, const std::string& where,
                                            const ReadingProgress& progress) {
  Result<Database> database = Database::open(bytes, where);
  if (!database) return database.error();
  return read(*database, progress);
}

}  // namespace quintet
