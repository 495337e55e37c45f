// Memory that NCCL's communicators know (its manual, "User Buffer Registration" and "Window
// Registration"). By its sources of 2.28 (src/register/coll_reg.cc, src/transport/nvls.cc,
// src/dev_runtime.cc):
//
// - ncclCommRegister notes memory, and asks nobody. With NVLink SHARP the first collective that
//   works on it maps it for all members of the host, who wait for each other in the call
//   (tryRegisterBuffer); every later call compares offsets through shared memory
//   (nvlsRegisterBuffer), a captured one too, but a graph's launch does not. Who calls in one order
//   on all ranks, and waits for no device in between, waits for nobody in vain.
// - ncclCommWindowRegister maps it at once: all members call it, in one order, with memory of
//   ncclMemAlloc of one size. Collectives on a symmetric window find a peer's data at their own
//   offset and check nothing: other offsets would give wrong sums.
//
// Only gradients that are summed where they lie are taken for windows: that memory is one
// allocation whose parts never move, and whether all members have the same parts in it is asked of
// them. Everything else (packed and narrowed gradients, gathered weights, activations) lies in
// blocks that come and go by rules of each rank's own, and is registered only.
#include <algorithm>
#include <utility>

#include "engine/nccl/nccl_communicator.h"
#include "engine/nccl/nccl_functions.h"
#include "engine/nccl/nccl_trial.h"
#include "engine/network/transport/transport.h"

namespace quintet::engine {

namespace {

constexpr std::uint64_t shared_label = label_in(LabelSpace::training, 16);

// What a rank brings.
struct Brought {
  std::uint64_t bytes = 0, layout = 0;
  bool operator==(const Brought&) const = default;
};

}  // namespace

void NcclCommunicator::enlist(const Open& opened, void* memory, std::size_t bytes) {
  void* handle = nullptr;
  if (nccl_.enlist(opened.handle, memory, bytes, &handle) == ncclSuccess)
    enlisted_[memory].push_back({&opened, handle, nullptr});
}

// What one of them does not take is still memory.
void* NcclCommunicator::take_memory(std::size_t bytes) {
  void* const memory = unlisted_memory(bytes);
  if (memory == nullptr) return nullptr;
  for (const Open& opened : open_) enlist(opened, memory, bytes);
  return memory;
}

void* NcclCommunicator::unlisted_memory(std::size_t bytes) {
  if (!nccl_.allocate || !nccl_.free || !nccl_.enlist || !nccl_.strike) return nullptr;
  if (watch_.troubled()) return nullptr;
  void* memory = nullptr;
  if (nccl_.allocate(&memory, bytes) != ncclSuccess || memory == nullptr) return nullptr;
  enlisted_[memory];
  return memory;
}

// A communicator whose machine has no symmetric memory gives no window, and no error.
std::optional<NcclTrouble> NcclCommunicator::open_window(const Open& opened, void* memory,
                                                         std::size_t bytes) {
  ncclWindow_t window = nullptr;
  auto wrong = asked(opened, "ncclCommWindowRegister", [&] {
    return nccl_.open_window(opened.handle, memory, bytes, &window, NCCL_WIN_COLL_SYMMETRIC);
  });
  if (wrong) return wrong;
  if (window != nullptr)
    enlisted_[memory].push_back({&opened, nullptr, window});
  else
    enlist(opened, memory, bytes);
  return std::nullopt;
}

// What NCCL maps and connects for it at its first use, before a step would wait for that.
std::optional<NcclTrouble> NcclCommunicator::summed_once(Open& opened, Trial& trial, void* memory,
                                                         std::size_t bytes) {
  device_.zero(memory, bytes, trial.stream());
  CollectiveCall call;
  call.kind = CollectiveKind::all_reduce;
  call.buffer = {static_cast<std::byte*>(memory), bytes};
  if (auto wrong = started(opened, call, trial.stream().handle)) return wrong;
  return arrived(opened, trial);
}

void* NcclCommunicator::take_shared_memory(std::size_t bytes, std::uint64_t layout) {
  const bool can = nccl_.open_window && nccl_.close_window && bytes > 0;
  void* const memory = can ? unlisted_memory(bytes) : nullptr;
  const Brought mine{memory == nullptr ? 0 : bytes, layout};
  const Result<std::vector<Brought>> all = exchanged(peers_, shared_label, mine);
  if (!all) {
    watch_.note(NcclTrouble{all.error(), true});
    return memory;
  }
  if (memory == nullptr) return nullptr;
  Trial trial(device_, 1);  // goes when all streams are told to end: giving it back waits for them
  for (Open& opened : open_) {
    if (watch_.troubled()) break;
    const bool alike = std::all_of(opened.ranks.begin(), opened.ranks.end(),
                                   [&](Rank rank) { return (*all)[rank.index()] == mine; });
    if (!opened.sums_gradients || !alike) {
      enlist(opened, memory, bytes);
      continue;
    }
    auto wrong = open_window(opened, memory, bytes);
    watch_.note(wrong ? wrong : summed_once(opened, trial, memory, bytes));
  }
  return memory;
}

// Communicators that have failed are at their end, and what they knew with them.
void NcclCommunicator::give_back_memory(void* memory) {
  const auto found = enlisted_.find(memory);
  if (found == enlisted_.end()) return;
  for (const Enlisted& each : found->second) {
    if (each.opened->handle == nullptr || watch_.troubled()) continue;
    if (each.window != nullptr)
      nccl_.close_window(each.opened->handle, each.window);
    else
      nccl_.strike(each.opened->handle, each.handle);
  }
  enlisted_.erase(found);
  nccl_.free(memory);
}

}  // namespace quintet::engine
