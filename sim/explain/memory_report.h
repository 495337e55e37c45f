// What fills the memory of each GPU, and whether it fits. Plain data; the layer that knows the
// model's states fills it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace quintet {

struct RankMemory {
  Rank rank;
  int stage = 0;
  Bytes weights, gradients, optimizer, activations, logits;
  Bytes communication;  // buffers of the collective library
  Bytes framework;      // context, allocator, workspace
  Bytes host{};         // of the host's memory, pinned; counts in no sum of the GPU's
  bool operator==(const RankMemory&) const = default;
};

// The sum of all kinds in the GPU's memory.
Bytes total(const RankMemory& memory);

// What lies in the GPU's memory, kind by kind: "weights", ...; they sum to the total.
struct MemoryPart {
  std::string_view name;
  Bytes size;
  bool operator==(const MemoryPart&) const = default;
};
std::array<MemoryPart, 7> parts_of(const RankMemory& memory);

struct MemoryReport {
  std::vector<RankMemory> ranks;
  Bytes capacity;  // of one GPU
  bool operator==(const MemoryReport&) const = default;
};

enum class MemoryVerdict { fits, does_not_fit };

// The rank that needs most (the first of them); none without ranks.
std::optional<RankMemory> fullest(const MemoryReport& report);
// The same of each stage, by its number.
std::vector<RankMemory> fullest_of_stages(const MemoryReport& report);
// A rank that needs exactly the capacity fits.
MemoryVerdict verdict(const MemoryReport& report);
// "fits: 61.20 of 74.51 GiB (82.1 %) on rank 0 (stage 0)"
std::string verdict_text(const MemoryReport& report);

// GiB; neighbouring ranks of a stage that need the same share a line ("0-7").
std::string memory_rows(const MemoryReport& report);
// With the verdict behind them.
std::string memory_table(const MemoryReport& report);
// {"schema_version": 1, "unit": "B", "capacity", "verdict", "ranks": [...]}
std::string memory_json(const MemoryReport& report);

}  // namespace quintet
