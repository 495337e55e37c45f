// The checkpoints of a run: which are complete, which is the newest that can be trusted, which may
// go.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/files/checkpoint/checkpoint.h"
#include "engine/files/checkpoint/manifest.h"
#include "sim/base/result.h"

namespace quintet {

inline constexpr std::string_view manifest_name = "manifest.json";

// "FOLDER/step-00000042"; nothing is made.
std::filesystem::path step_folder(const std::filesystem::path& folder, std::int64_t step);

// Every writer calls this before it writes its shard; the folder may be there already.
std::optional<Error> make_step_folder(const std::filesystem::path& folder, std::int64_t step);

// By one writer, when all shards are durable: from here on the checkpoint is complete.
std::optional<Error> complete_step(const std::filesystem::path& folder, const Manifest& manifest);

// Steps with a manifest, ascending. A folder without one was cut short and counts as nothing.
std::vector<std::int64_t> complete_steps(const std::filesystem::path& folder);

// Removes all but the newest `kept` complete steps and what was cut short before the newest of
// them; manifests first, so that a half removed step is not taken for complete.
std::optional<Error> keep_newest(const std::filesystem::path& folder, std::size_t kept);
// After a failure to write it. Never removes a complete step.
void remove_unfinished(const std::filesystem::path& folder, std::int64_t step);
// All that was cut short, when nobody writes.
void remove_unfinished(const std::filesystem::path& folder);

struct NewestCheckpoint {
  Checkpoint checkpoint;
  std::vector<Error> refused;  // newer ones that are damaged, newest first
};
// Reads every byte of it; goes back to older ones while what it finds is damaged. The error tells
// what was wrong with the newest, when none is left.
Result<NewestCheckpoint> newest_checkpoint(const std::filesystem::path& folder);

}  // namespace quintet
