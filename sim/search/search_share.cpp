#include "sim/search/search_share.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "sim/base/shown_text.h"

namespace quintet {
namespace {

struct Names {
  const char *rank, *size;
};
constexpr std::array launchers{Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                               Names{"PMI_RANK", "PMI_SIZE"},
                               Names{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

// 0 where the variable is not there and may be missing.
Result<int> number(const EnvironmentVariables& environment, const char* name, int least,
                   std::optional<int> missing = std::nullopt) {
  const std::optional<std::string> text = environment(name);
  if (!text && missing) return *missing;
  int value = 0;
  const std::string given = text.value_or("");
  const auto [end, failure] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (failure != std::errc{} || end != given.data() + given.size() || value < least)
    return Error{name, fmt::format("expected a number from {}, found {}", least, in_quotes(given))};
  return value;
}

Result<SearchShare> checked(const char* name, int part, int parts) {
  if (part < parts) return SearchShare{part, parts};
  return Error{name, fmt::format("says part {} of {}, which count from 0", part, parts)};
}

Result<SearchShare> ranks(const EnvironmentVariables& environment) {
  for (const Names& names : launchers) {
    if (!environment(names.rank) || !environment(names.size)) continue;
    const Result<int> rank = number(environment, names.rank, 0);
    const Result<int> size = number(environment, names.size, 1);
    if (!rank) return rank.error();
    if (!size) return size.error();
    if (*size > 1) return checked(names.rank, *rank, *size);
  }
  return SearchShare{};
}

Result<SearchShare> tasks(const EnvironmentVariables& environment) {
  if (!environment("SLURM_ARRAY_TASK_ID")) return SearchShare{};
  const Result<int> id = number(environment, "SLURM_ARRAY_TASK_ID", 0);
  const Result<int> count = number(environment, "SLURM_ARRAY_TASK_COUNT", 1);
  const Result<int> first = number(environment, "SLURM_ARRAY_TASK_MIN", 0);
  const Result<int> step = number(environment, "SLURM_ARRAY_TASK_STEP", 1, 1);
  for (const Result<int>* each : {&id, &count, &first, &step})
    if (!*each) return each->error();
  if (*id < *first) return Error{"SLURM_ARRAY_TASK_ID", "is below SLURM_ARRAY_TASK_MIN"};
  return checked("SLURM_ARRAY_TASK_ID", (*id - *first) / *step, *count);
}

}  // namespace

Result<StartedShare> started_share(const EnvironmentVariables& environment) {
  const Result<SearchShare> task = tasks(environment);
  if (!task) return task.error();
  const Result<SearchShare> rank = ranks(environment);
  if (!rank) return rank.error();
  return StartedShare{{task->part * rank->parts + rank->part, task->parts * rank->parts},
                      task->parts == 1};
}

}  // namespace quintet
