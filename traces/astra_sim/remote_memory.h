// ASTRA-sim's files about memory outside the ranks.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim/base/result.h"

namespace quintet {

enum class AstraMemoryKind { none, per_node, per_rank, pool };
std::string_view name_of(AstraMemoryKind kind);  // as their files write it

struct AstraRemoteMemory {
  AstraMemoryKind kind = AstraMemoryKind::none;
  double nanoseconds = 0.0, gigabytes = 0.0;  // latency; rate a second, of 1e9 bytes each
  int nodes = 0, ranks_per_node = 0;          // of per_node
  bool operator==(const AstraRemoteMemory&) const = default;
};

Result<AstraRemoteMemory> read_astra_remote_memory(const std::filesystem::path& file);
Result<AstraRemoteMemory> astra_remote_memory_of(const std::string& text, const std::string& where);

}  // namespace quintet
