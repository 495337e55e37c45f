#include "traces/kineto/event_kinds.h"

#include <array>
#include <utility>

namespace quintet::kineto {
namespace {

using Wait = RecordedWait::Kind;

struct CategoryName {
  std::string_view name;
  Category category;
};
// libkineto/src/ActivityType.cpp, and the names that it had before 2021.
constexpr std::array category_names{
    CategoryName{"cpu_op", Category::operation},
    CategoryName{"kernel", Category::kernel},
    CategoryName{"cuda_runtime", Category::call},
    CategoryName{"user_annotation", Category::annotation},
    CategoryName{"gpu_memcpy", Category::copy},
    CategoryName{"gpu_memset", Category::fill},
    CategoryName{"cuda_driver", Category::call},
    CategoryName{"gpu_user_annotation", Category::device_annotation},
    CategoryName{"cuda_sync", Category::synchronisation},
    CategoryName{"hip_runtime", Category::call},
    CategoryName{"hip_driver", Category::call},
    CategoryName{"xpu_runtime", Category::call},
    CategoryName{"xpu_driver", Category::call},
    CategoryName{"mtia_runtime", Category::call},
    CategoryName{"privateuse1_runtime", Category::call},
    CategoryName{"privateuse1_driver", Category::call},
    CategoryName{"concurrent_kernel", Category::kernel},
    CategoryName{"Kernel", Category::kernel},
    CategoryName{"Memcpy", Category::copy},
    CategoryName{"Memset", Category::fill},
    CategoryName{"Runtime", Category::call},
    CategoryName{"Operator", Category::operation},
};

struct CallStem {
  std::string_view stem;  // without "cuda", "cu" or "hip" and without what tells versions
  CallMeaning meaning;
};
// The first that a call begins with. cudaEventQuery and cudaStreamQuery return at once.
constexpr std::array call_stems{
    CallStem{"Launch", {EventKind::launch, std::nullopt, false}},
    CallStem{"ExtLaunch", {EventKind::launch, std::nullopt, false}},
    CallStem{"ExtModuleLaunch", {EventKind::launch, std::nullopt, false}},
    CallStem{"ModuleLaunch", {EventKind::launch, std::nullopt, false}},
    CallStem{"HccModuleLaunch", {EventKind::launch, std::nullopt, false}},
    CallStem{"GraphLaunch", {EventKind::launch, std::nullopt, false}},
    CallStem{"Memset", {EventKind::launch, std::nullopt, false}},
    CallStem{"DeviceSynchronize", {EventKind::block, Wait::device, false}},
    CallStem{"ThreadSynchronize", {EventKind::block, Wait::device, false}},
    CallStem{"CtxSynchronize", {EventKind::block, Wait::device, false}},
    CallStem{"StreamSynchronize", {EventKind::block, Wait::stream, false}},
    CallStem{"EventSynchronize", {EventKind::block, Wait::event, false}},
    CallStem{"StreamWaitEvent", {EventKind::call, Wait::stream_waits_event, false}},
};
constexpr CallMeaning launch{EventKind::launch, std::nullopt, false};
constexpr CallMeaning blocking_copy{EventKind::block, Wait::stream, true};

struct CopyWord {
  std::string_view word;
  CopyDirection direction;
};
// A copy from one device to another is no copy of a host's.
constexpr std::array copy_words{
    CopyWord{"HtoD", CopyDirection::host_to_device},
    CopyWord{"DtoH", CopyDirection::device_to_host},
    CopyWord{"DtoD", CopyDirection::device_to_device},
    CopyWord{"HostToDevice", CopyDirection::host_to_device},
    CopyWord{"DeviceToHost", CopyDirection::device_to_host},
};

}  // namespace

Category category_of(std::string_view name) {
  for (const CategoryName& known : category_names)
    if (known.name == name) return known.category;
  return Category::other;
}

CallMeaning meaning_of_call(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "hip", "cu"}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    for (const CallStem& known : call_stems)
      if (name.starts_with(known.stem)) return known.meaning;
    if (!name.starts_with("Memcpy")) return {};
    return name.find("Async") != std::string_view::npos ? launch : blocking_copy;
  }
  return {};
}

std::optional<RecordedWait::Kind> wait_named(std::string_view sync_kind) {
  if (sync_kind == "Event Sync") return Wait::event;
  if (sync_kind == "Stream Sync") return Wait::stream;
  if (sync_kind == "Stream Wait Event") return Wait::stream_waits_event;
  if (sync_kind == "Context Sync" || sync_kind == "Device Sync") return Wait::device;
  return std::nullopt;
}

CopyDirection direction_of_copy(std::string_view name, std::string_view kind) {
  for (const CopyWord& known : copy_words)
    if (name.find(known.word) != std::string_view::npos ||
        kind.find(known.word) != std::string_view::npos)
      return known.direction;
  if (kind == "1") return CopyDirection::host_to_device;  // hipMemcpyKind
  if (kind == "2") return CopyDirection::device_to_host;
  return CopyDirection::device_to_device;
}

}  // namespace quintet::kineto
