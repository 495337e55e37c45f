// Kernels that take another time than they took.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/replay/recorded_times.h"
#include "traces/workload/workload.h"

namespace quintet {

// Kernels whose name has the text take so many times what they took.
struct KernelChange {
  std::string name;
  double factor = 1;
  bool operator==(const KernelChange&) const = default;
};

// Kernels on another GPU: products and attention by one factor, all others by another.
struct GpuChange {
  double products = 1, others = 1;
  bool operator==(const GpuChange&) const = default;
};

struct KernelChanges {
  std::vector<KernelChange> by_name;
  std::optional<GpuChange> gpu;
};

// Changes the work of the workload's computing; how many tasks each change by name has changed.
std::vector<std::int64_t> change_kernels(const Workload& workload, const KernelChanges& changes,
                                         RecordedTimes& times);

}  // namespace quintet
