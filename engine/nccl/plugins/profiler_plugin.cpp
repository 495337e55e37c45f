// libquintet_nccl_profiler.so: writes what NCCL chose for every collective and message, and when
// each of its channels ran. NCCL loads it where NCCL_PROFILER_PLUGIN names it; one context per
// communicator.
//
//   QUINTET_NCCL_PROFILE  JSON lines are added here (profile_log.h reads them)
//
// NCCL stops a collective's own event once it is enqueued; the kernel's channels come later, from
// the thread that watches the GPU. So a collective is written when all its channels have stopped,
// or, with "complete": false, when the communicator ends.
#include <exception>
#include <memory>
#include <string>

#include "engine/nccl/plugins/profile_context.h"

namespace quintet::nccl_plugin {

namespace {

// A failure here makes NCCL go on without the profiler, which is meant.
Answer init(void** context, std::uint64_t id, int* activation, const char* name, int nodes,
            int ranks, int rank, Logger log) {
  *context = nullptr;
  const char* const path = std::getenv("QUINTET_NCCL_PROFILE");
  if (path == nullptr) {
    warn(profiler_name, log, "QUINTET_NCCL_PROFILE names no file; nothing is recorded");
    return answer_system_error;
  }
  try {
    auto made = std::make_unique<ProfileContext>(id, name, nodes, ranks, rank, log, path);
    if (!made->can_write()) {
      warn(profiler_name, log, std::string(path) + ": cannot be written; nothing is recorded");
      return answer_system_error;
    }
    *activation = static_cast<int>(event_collective | event_message | event_kernel_channel);
    *context = made.release();
    return answer_success;
  } catch (const std::exception& failure) {
    warn(profiler_name, log, failure.what());
    return answer_system_error;
  }
}

Answer start_event(void* context, void** handle, ProfilerEvent* event) {
  *handle = nullptr;
  if (context == nullptr || event == nullptr) return answer_success;
  try {
    *handle = static_cast<ProfileContext*>(context)->start(*event);
  } catch (const std::exception& failure) {
    warn(profiler_name, nullptr, failure.what());
  }
  return answer_success;
}

Answer stop_event(void* handle) {
  if (handle == nullptr) return answer_success;
  try {
    Handle& stopped = *static_cast<Handle*>(handle);
    stopped.context->stop(stopped);
  } catch (const std::exception& failure) {
    warn(profiler_name, nullptr, failure.what());
  }
  return answer_success;
}

Answer record_state(void* handle, EventState state, ProfilerEventDetail* detail) {
  if (handle == nullptr || detail == nullptr || state != state_kernel_channel_stop)
    return answer_success;
  Handle& stopped = *static_cast<Handle*>(handle);
  stopped.context->kernel_stopped(stopped, detail->stop);
  return answer_success;
}

Answer finalize(void* context) {
  if (context == nullptr) return answer_success;
  const std::unique_ptr<ProfileContext> ended(static_cast<ProfileContext*>(context));
  try {
    ended->finalize();
  } catch (const std::exception& failure) {
    warn(profiler_name, nullptr, failure.what());
  }
  return answer_success;
}

}  // namespace

}  // namespace quintet::nccl_plugin

extern "C" __attribute__((visibility("default")))
const quintet::nccl_plugin::Profiler ncclProfiler_v5;
const quintet::nccl_plugin::Profiler ncclProfiler_v5 = {"Quintet",
                                                        quintet::nccl_plugin::init,
                                                        quintet::nccl_plugin::start_event,
                                                        quintet::nccl_plugin::stop_event,
                                                        quintet::nccl_plugin::record_state,
                                                        quintet::nccl_plugin::finalize};
