// What the profiler plugin knows of one communicator: the operations that the GPU has not finished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "engine/nccl/plugins/plugin_interface.h"
#include "engine/nccl/plugins/plugin_text.h"

namespace quintet::nccl_plugin {

inline constexpr const char* profiler_name = "Quintet's NCCL profiler";

class ProfileContext;
struct RunningOperation;

// What NCCL's handles point at.
struct Handle {
  enum class Kind { operation, channel } kind = Kind::operation;
  ProfileContext* context = nullptr;
  RunningOperation* operation = nullptr;
};

struct Channel {
  Handle handle;
  int number = 0;
  std::uint64_t start = 0, stop = 0;  // globaltimer, ns
  bool over = false;
};

struct RunningOperation {
  Handle handle;
  std::string head;  // of its line
  std::size_t expected = 0;
  std::vector<Channel> channels;  // room for all is reserved: handles point here
  std::size_t over = 0;
  bool enqueued = false;
  std::list<RunningOperation>::iterator place;
};

class ProfileContext {
 public:
  ProfileContext(std::uint64_t id, const char* name, int nodes, int ranks, int rank, Logger log,
                 const char* path);

  bool can_write() const { return file_.is_open(); }
  Handle* start(const ProfilerEvent& event);
  void stop(Handle& handle);
  void kernel_stopped(Handle& handle, std::uint64_t when);
  void finalize();

 private:
  Handle* start_operation(std::string head, int channels);
  Handle* start_channel(const ProfilerEvent& event);
  void write_if_over(RunningOperation& operation);
  void write(const RunningOperation& operation, bool complete);

  Logger log_;
  LineFile file_;
  std::string head_;
  std::mutex mutex_;  // NCCL's threads: the one that enqueues, the one that watches the GPU
  std::list<RunningOperation> under_way_;
  std::size_t dropped_ = 0;
};

}  // namespace quintet::nccl_plugin
