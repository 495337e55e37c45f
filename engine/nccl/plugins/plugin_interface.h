// What NCCL 2.28 and its plugins hand each other, in C: tuner and profiler of version 5. The
// toolkit's nccl.h does not declare it; layouts and numbers are those of NCCL's src/include/plugin
// (tuner/tuner_v5.h, profiler/profiler_v5.h, nccl_tuner.h, nccl_profiler.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace quintet::nccl_plugin {

enum Answer : int { answer_success = 0, answer_system_error = 2 };

enum LogLevel : int { log_warn = 2, log_info = 3 };
inline constexpr unsigned long log_tuning = 64;  // the subsystem
using Logger = void (*)(LogLevel level, unsigned long subsystems, const char* file, int line,
                        const char* format, ...);

// Rows and columns of the table of times.
inline constexpr int algorithms = 7;  // tree, ring, collnet direct and chain, nvls, nvls tree, pat
inline constexpr int protocols = 3;   // ll, ll128, simple
inline constexpr float not_available = -1.0F;

enum Function : int {
  function_broadcast = 0,
  function_reduce = 1,
  function_all_gather = 2,
  function_reduce_scatter = 3,
  function_all_reduce = 4,
};

struct NvlinkDomains {
  int domains, fewest_ranks, most_ranks;
};

// Microseconds and GB/s; links: NVLink, PCI, network; generations: Volta, Ampere, Hopper,
// Blackwell; scales: 1, 2 and more nodes.
struct TunerConstants {
  double base_latencies[algorithms][protocols];
  double link_latencies[3][algorithms][protocols];
  double ll_bandwidths[4][3];
  double ring_ll128_channel_bandwidths[4][3];
  double tree_ll128_channel_bandwidths[4][3];
  double tree_channel_bandwidths[4][3];
  double nvls_tree_channel_bandwidths[4][3];
};
static_assert(sizeof(TunerConstants) == 1152);

// Anything but success from these ends what NCCL was about to do: NCCL 2.28 does not fall back.
// `times` is float[algorithms][protocols], whatever its type says.
struct Tuner {
  const char* name;
  Answer (*init)(void** context, std::uint64_t communicator, std::size_t ranks, std::size_t nodes,
                 Logger log, NvlinkDomains* domains, TunerConstants* constants);
  Answer (*choose)(void* context, Function function, std::size_t bytes, int operations,
                   float** times, int algorithm_count, int protocol_count, int registered,
                   int* channels);
  Answer (*finalize)(void* context);
};

enum EventType : std::uint64_t {
  event_collective = 1 << 1,
  event_message = 1 << 2,
  event_kernel_channel = 1 << 6,
};

enum EventState : int { state_kernel_channel_stop = 22 };

struct CollectiveEvent {
  std::uint64_t sequence;
  const char* function;  // "AllReduce"
  const void* sent;
  void* received;
  std::size_t count;
  int root;
  const char* type;  // "ncclFloat32"
  std::uint8_t channels, warps;
  const char* algorithm;  // "RING"
  const char* protocol;   // "SIMPLE"
  void* group;
};

struct MessageEvent {
  const char* function;  // "Send", "Recv"
  void* buffer;
  const char* type;
  std::size_t count;
  int peer;
  std::uint8_t channels;
  void* group;
};

struct KernelChannelEvent {
  std::uint8_t channel;
  std::uint64_t start;  // the GPU's globaltimer, ns
};

struct ProfilerEvent {
  std::uint64_t type;
  void* parent;  // of a kernel's channel: the handle of its collective or message
  int rank;
  union {
    CollectiveEvent collective;
    MessageEvent message;
    KernelChannelEvent kernel_channel;
  };
};
static_assert(offsetof(ProfilerEvent, collective) == 24 && sizeof(ProfilerEvent) == 112);
static_assert(offsetof(CollectiveEvent, algorithm) == 64 && offsetof(MessageEvent, channels) == 36);

// This comes with a state; with that of the kernel's stop, `stop` is when it was.
union ProfilerEventDetail {
  std::size_t transferred;
  void* data;
  std::uint64_t stop;
};

struct Profiler {
  const char* name;
  Answer (*init)(void** context, std::uint64_t communicator, int* activation,
                 const char* communicator_name, int nodes, int ranks, int rank, Logger log);
  Answer (*start_event)(void* context, void** handle, ProfilerEvent* event);
  Answer (*stop_event)(void* handle);
  Answer (*record_state)(void* handle, EventState state, ProfilerEventDetail* detail);
  Answer (*finalize)(void* context);
};

}  // namespace quintet::nccl_plugin
