// Memory that NCCL's communicators know (its manual, "User Buffer Registration").
#include <utility>

#include "engine/nccl/nccl_communicator.h"
#include "engine/nccl/nccl_functions.h"

namespace quintet::engine {

// What one of them does not take is still memory.
void* NcclCommunicator::take_memory(std::size_t bytes) {
  if (!nccl_.allocate || !nccl_.free || !nccl_.enlist || !nccl_.strike) return nullptr;
  if (watch_.troubled()) return nullptr;
  void* memory = nullptr;
  if (nccl_.allocate(&memory, bytes) != ncclSuccess || memory == nullptr) return nullptr;
  auto& known = enlisted_[memory];
  for (const Open& opened : open_) {
    void* handle = nullptr;
    if (nccl_.enlist(opened.handle, memory, bytes, &handle) == ncclSuccess)
      known.emplace_back(&opened, handle);
  }
  return memory;
}

// Communicators that have failed are at their end, and what they knew with them.
void NcclCommunicator::give_back_memory(void* memory) {
  const auto found = enlisted_.find(memory);
  if (found == enlisted_.end()) return;
  for (const auto& [opened, handle] : found->second)
    if (opened->handle != nullptr && !watch_.troubled()) nccl_.strike(opened->handle, handle);
  enlisted_.erase(found);
  nccl_.free(memory);
}

}  // namespace quintet::engine
