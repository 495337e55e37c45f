#include <string>
#include <utility>

#include "traces/nsight/tables.h"

namespace quintet::nsight {
namespace {

// Devices as CUDA numbers them in a process, which CUDA_VISIBLE_DEVICES may change.
std::optional<Error> read_devices(const Database& database, Processes& processes) {
  std::map<std::int64_t, std::string> names;  // by Nsight's number of the GPU
  auto error = database.each("TARGET_INFO_GPU", {"id"}, {"name"}, [&](const TableRow& row) {
    names.emplace(row.needed(0), row.text(1));
  });
  if (error) return error;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> numbers;  // by process and device
  error = database.each("TARGET_INFO_CUDA_DEVICE", {}, {"gpuId", "cudaId", "pid"},
                        [&](const TableRow& row) {
                          const auto gpu = row.integer(0), cuda = row.integer(1);
                          if (gpu && cuda) numbers[{row.integer(2).value_or(-1), *cuda}] = *gpu;
                        });
  for (auto& [global, process] : processes.all())
    for (const auto& [device, context] : process.contexts) {
      const auto number = numbers.find({process_number(global), device});
      const auto name = names.find(number == numbers.end() ? device : number->second);
      process.draft.trace().devices.push_back(
          {device, name == names.end() ? std::string() : name->second});
    }
  return error;
}

std::optional<Error> read_start(const Database& database, Processes& processes) {
  return database.each("TARGET_INFO_SESSION_START_TIME", {}, {"utcEpochNs"},
                       [&](const TableRow& row) {
                         for (auto& [global, process] : processes.all())
                           process.draft.trace().zero_nanoseconds = row.integer(0).value_or(0);
                       });
}

std::optional<Error> read_host(const Database& database, Processes& processes) {
  return database.each("TARGET_INFO_SYSTEM_ENV", {}, {"name", "value"}, [&](const TableRow& row) {
    if (row.text(0) != "Hostname") return;
    for (auto& [global, process] : processes.all())
      if (process.draft.trace().host.empty()) process.draft.trace().host = row.text(1);
  });
}

std::optional<Error> read_ranks(const Database& database, Processes& processes) {
  return database.each("MPI_RANKS", {}, {"globalTid", "rank"}, [&](const TableRow& row) {
    const auto thread = row.integer(0), rank = row.integer(1);
    if (!thread || !rank || *rank < 0 || *rank > 0x7FFFFFFF) return;
    const auto found = processes.all().find(process_of(*thread));
    if (found != processes.all().end()) found->second.draft.trace().rank = static_cast<int>(*rank);
  });
}

}  // namespace

std::optional<Error> read_thread_names(const Database& database, Processes& processes) {
  auto error = database.each("ThreadNames", {}, {"globalTid", "nameId"}, [&](const TableRow& row) {
    if (const auto thread = row.integer(0))
      processes.name_thread(*thread, std::string(processes.text(row.integer(1))));
  });
  return error ? error : processes.wrong();
}

std::optional<Error> read_targets(const Database& database, Processes& processes) {
  for (const auto read : {read_devices, read_start, read_host, read_ranks})
    if (auto error = read(database, processes)) return error;
  return std::nullopt;
}

}  // namespace quintet::nsight
