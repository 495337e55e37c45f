#include "engine/files/checkpoint/checkpoint_steps.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstdio>
#include <string>
#include <system_error>

#include "engine/files/storage/durable_file.h"
#include "sim/base/shown_text.h"

namespace quintet {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view beginning = "step-";

std::optional<std::int64_t> step_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (!name.starts_with(beginning)) return std::nullopt;
  std::int64_t step = -1;
  const char* const end = name.data() + name.size();
  const auto [read, failure] = std::from_chars(name.data() + beginning.size(), end, step);
  if (failure != std::errc() || read != end || step < 0) return std::nullopt;
  // "step-7" and "step-00000007" must not both be step 7.
  return step_folder(folder.parent_path(), step) == folder ? std::optional(step) : std::nullopt;
}

std::vector<std::int64_t> all_steps(const fs::path& folder) {
  std::vector<std::int64_t> steps;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure))
    if (const std::optional<std::int64_t> step = step_of(entry->path())) steps.push_back(*step);
  std::sort(steps.begin(), steps.end());
  return steps;
}

bool is_complete(const fs::path& folder, std::int64_t step) {
  std::error_code ignored;
  return fs::exists(step_folder(folder, step) / manifest_name, ignored);
}

std::optional<Error> remove_step(const fs::path& folder, std::int64_t step) {
  const fs::path place = step_folder(folder, step);
  std::error_code failure;
  fs::remove(place / manifest_name, failure);
  if (!failure) fs::remove_all(place, failure);
  if (failure) return Error{shown(place.string(), 1000), "cannot be removed: " + failure.message()};
  return std::nullopt;
}

}  // namespace

fs::path step_folder(const fs::path& folder, std::int64_t step) {
  char name[48];
  std::snprintf(name, sizeof name, "step-%08lld", static_cast<long long>(step));
  return folder / name;
}

std::optional<Error> make_step_folder(const fs::path& folder, std::int64_t step) {
  const fs::path place = step_folder(folder, step);
  std::error_code failure;
  fs::create_directories(place, failure);
  if (failure) return Error{shown(place.string(), 1000), "cannot be created: " + failure.message()};
  return sync_folder(folder);
}

std::optional<Error> complete_step(const fs::path& folder, const Manifest& manifest) {
  Result<DurableFile> out =
      DurableFile::create(step_folder(folder, manifest.state.step) / manifest_name);
  if (!out) return out.error();
  if (const std::optional<Error> error = out->write(manifest_text(manifest))) return error;
  return out->finish();
}

std::vector<std::int64_t> complete_steps(const fs::path& folder) {
  std::vector<std::int64_t> steps = all_steps(folder);
  std::erase_if(steps, [&](std::int64_t step) { return !is_complete(folder, step); });
  return steps;
}

std::optional<Error> keep_newest(const fs::path& folder, std::size_t kept) {
  assert(kept > 0);
  const std::vector<std::int64_t> complete = complete_steps(folder);
  if (complete.empty()) return std::nullopt;
  const std::size_t dropped = complete.size() - std::min(kept, complete.size());
  const std::int64_t oldest_kept = complete[dropped], newest = complete.back();
  for (const std::int64_t step : all_steps(folder)) {
    const bool cut_short = step < newest && !is_complete(folder, step);
    if (step >= oldest_kept && !cut_short) continue;
    if (const std::optional<Error> error = remove_step(folder, step)) return error;
  }
  return std::nullopt;
}

void remove_unfinished(const fs::path& folder, std::int64_t step) {
  if (!is_complete(folder, step)) static_cast<void>(remove_step(folder, step));
}

void remove_unfinished(const fs::path& folder) {
  for (const std::int64_t step : all_steps(folder)) remove_unfinished(folder, step);
}

Result<NewestCheckpoint> newest_checkpoint(const fs::path& folder) {
  std::vector<std::int64_t> steps = complete_steps(folder);
  std::vector<Error> refused;
  for (; !steps.empty(); steps.pop_back()) {
    Result<Checkpoint> checkpoint = Checkpoint::open(step_folder(folder, steps.back()));
    std::optional<Error> problem;
    if (!checkpoint) problem = checkpoint.error();
    if (checkpoint) problem = checkpoint->check_all();
    if (!problem) return NewestCheckpoint{std::move(*checkpoint), std::move(refused)};
    refused.push_back(*problem);
  }
  if (refused.empty()) return Error{shown(folder.string(), 1000), "holds no complete checkpoint"};
  return refused.front();
}

}  // namespace quintet
