// What Kineto's categories and the calls of CUDA's and HIP's runtimes and drivers mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "traces/trace/rank_trace.h"

namespace quintet::kineto {

enum class Category : std::uint8_t {
  operation,
  annotation,
  device_annotation,
  kernel,
  copy,
  fill,
  call,
  synchronisation,  // "cuda_sync": what a call waits for
  other,
};
// Of the new and the old dialect; what has no name of ours is `other`.
Category category_of(std::string_view name);

struct CallMeaning {
  EventKind kind = EventKind::call;
  std::optional<RecordedWait::Kind> wait;
  bool copies = false;  // it moves memory, and returns when that is done
};
CallMeaning meaning_of_call(std::string_view name);

// Of "cuda_sync_kind".
std::optional<RecordedWait::Kind> wait_named(std::string_view sync_kind);

// "Memcpy HtoD (Pinned -> Device)", or AMD's "HtoD" and "1".
CopyDirection direction_of_copy(std::string_view name, std::string_view kind);

}  // namespace quintet::kineto
