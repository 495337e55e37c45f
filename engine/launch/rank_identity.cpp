#include "engine/launch/rank_identity.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>

#include "sim/base/shown_text.h"

namespace quintet::engine {

namespace {

struct Names {
  StartedBy by;
  const char *rank, *world, *local_rank, *local_world;
  int least_world;
};

// Open MPI's and PMI's environment; srun(1), OUTPUT ENVIRONMENT VARIABLES.
constexpr std::array known{
    Names{StartedBy::quintet, "QUINTET_RANK", "QUINTET_WORLD", "QUINTET_LOCAL_RANK",
          "QUINTET_LOCAL_WORLD", 1},
    Names{StartedBy::mpi, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
          "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", 2},
    Names{StartedBy::mpi, "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", 2},
    Names{StartedBy::slurm, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID",
          "SLURM_STEP_TASKS_PER_NODE", 2},
};

Result<int> number(const std::string& name, const std::string& text, int least) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end || value < least)
    return Error{name, fmt::format("expected a number from {}, found {}", least, in_quotes(text))};
  return value;
}

// "2(x3)" and "2,1" are Slurm's ways to give the tasks of several nodes: not one number.
int number_or(const std::optional<std::string>& text, int fallback) {
  const Result<int> value = number("", text.value_or(""), 0);
  return value ? *value : fallback;
}

Result<std::optional<RankIdentity>> identity(const Names& names, const Environment& environment) {
  const auto rank = environment(names.rank), world = environment(names.world);
  if (!rank || !world) return std::optional<RankIdentity>();
  const Result<int> size = number(names.world, *world, 1), place = number(names.rank, *rank, 0);
  if (!size) return size.error();
  if (!place) return place.error();
  if (*place >= *size)
    return Error{names.rank, "is " + *rank + ", though " + names.world + " is " + *world};
  if (*size < names.least_world) return std::optional<RankIdentity>();
  return std::optional(RankIdentity{Rank{*place}, *size,
                                    number_or(environment(names.local_rank), *place),
                                    number_or(environment(names.local_world), 0), names.by});
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
}

Result<std::optional<RankIdentity>> rank_identity(const Environment& environment) {
  for (const Names& names : known) {
    Result<std::optional<RankIdentity>> found = identity(names, environment);
    if (!found || *found) return found;
  }
  return std::optional<RankIdentity>();
}

std::vector<std::string> variables_of(const RankIdentity& identity) {
  const Names& names = known.front();
  const auto variable = [](const char* name, int value) {
    return fmt::format("{}={}", name, value);
  };
  return {variable(names.rank, identity.rank.value), variable(names.world, identity.world),
          variable(names.local_rank, identity.local_rank),
          variable(names.local_world, identity.local_world)};
}

}  // namespace quintet::engine
