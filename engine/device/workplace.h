// Where a rank computes: on its own processor, which does everything at once, or on a device
// (kernels/device.h), where work is queued on the stream of the lane that it belongs to and the
// host goes on. What touches the memory of buffers goes through here.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/device/buffer.h"
#include "engine/device/event_pool.h"
#include "engine/device/staging.h"
#include "engine/device/step_ends.h"
#include "engine/device/streams.h"
#include "kernels/activity_recorder.h"
#include "kernels/kernels.h"
#include "sim/base/result.h"

namespace quintet::engine {

struct DeviceOptions {
  ArenaSize memory{};
  bool times = false;   // of each instruction
  bool graphs = false;  // the steady step is kept and launched again, where it can be (capture.h)
  // Tells what the device does in each step, kept or not; must outlive the executor. Null: nobody.
  kernels::ActivityRecorder* recorder = nullptr;
  // How long the host waits for anything that it has queued, the other ranks' parts of it included.
  std::chrono::milliseconds within{60000};
};

class Workplace {
 public:
  explicit Workplace(kernels::Kernels& kernels) : kernels_(&kernels) {}
  Workplace(kernels::Device& device, const std::vector<kernels::Urgency>& lanes,
            const DeviceOptions& options);
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  // Asked while the host waits for the device: where that waits for other ranks, an error ends the
  // wait, by throwing LostPeer. Not asked where there are none.
  using Peers = std::function<std::optional<Error>()>;
  void watch(Peers peers) { peers_ = std::move(peers); }
  // What is said of a wait that takes too long: what the device has not done. Every wait ends then,
  // by throwing std::runtime_error.
  using Undone = std::function<std::string()>;
  void explain(Undone undone) { undone_ = std::move(undone); }

  bool on_device() const { return device_ != nullptr; }
  kernels::Device* device() const { return device_; }  // null: there is none
  kernels::Kernels& kernels() { return on_device() ? kernels_of_lane() : *kernels_; }
  kernels::Stream& stream() { return on_device() ? streams_->stream(lane()) : no_stream_; }

  // What lies there is anything.
  Buffer make(Index count, DataType type);
  Buffer zeroed(Index count, DataType type);
  // Zeros that stay as long as the place, where ranks of the same `layout`, which is all that says
  // where in them anything lies, sum them as they lie (arena.h). Before any other buffer is made,
  // by all ranks together; of none by those that sum nothing so.
  Buffer zeroed_for_sums(Index count, DataType type, std::uint64_t layout);
  // In the host's memory, where a device copies from and to while the host goes on.
  Buffer make_on_host(Index count, DataType type);
  Buffer zeroed_on_host(Index count, DataType type);
  // At once: of such memory that no lane works on.
  void zero_on_host(Buffer& buffer);
  void copy(void* to, const void* from, std::size_t bytes);
  void copy_rows(const kernels::RowsCopy& rows);
  void zero(Buffer& buffer);
  void zero(void* memory, std::size_t bytes);

  // What the host has, where kernels find it: the same buffer, or a copy that is being made.
  Buffer bring(Buffer values);
  // Both wait until all that is queued on the lane is done.
  void fetch(void* host, const void* from, std::size_t bytes);
  std::vector<float> fetched(const float* from, Index count);
  void send(void* to, const void* host, std::size_t bytes);
  // Waits for nothing but the copy before the last one, of memory that is pinned: `host` may change
  // at once.
  void send_soon(void* to, const void* host, std::size_t bytes);
  // Elements as the host reads or writes them: where they are, or in a copy that goes there and
  // back.
  template <class Element>
  void read(const Element* from, Index count,
            const std::type_identity_t<std::function<void(const Element*)>>& reader) {
    if (!on_device()) return reader(from);
    std::vector<Element> values(static_cast<std::size_t>(count));
    fetch(values.data(), from, values.size() * sizeof(Element));
    reader(values.data());
  }
  template <class Element>
  void change(Element* elements, Index count,
              const std::type_identity_t<std::function<void(Element*)>>& writer) {
    if (!on_device()) return writer(elements);
    std::vector<Element> values(static_cast<std::size_t>(count));
    fetch(values.data(), elements, values.size() * sizeof(Element));
    writer(values.data());
    send(elements, values.data(), values.size() * sizeof(Element));
  }

  // Lanes of a device. Without one all is in order anyway.
  void enter(std::size_t lane);
  std::size_t lane() const { return on_device() ? arena_->lane() : 0; }
  Places here() const;                // what is queued so far on the lane
  void follow(const Places& before);  // the lane goes on after these
  void finish_step();                 // the host waits for all lanes
  void await(kernels::StreamEvent event);     // the host waits
  void await(const std::future<void>& over);  // likewise, for another thread
  // The step is queued: what it leaves comes to the host behind it, while the device may be given
  // the next one, which is the last before await_step(). Steps are awaited in their order.
  void end_step(std::span<const MemoryPart> left);
  // Waits for the oldest step that was not awaited; what it left, one part after the other.
  std::vector<std::byte> await_step();
  // Per lane (places.h), of that step: the first event that has not happened.
  Places undone() const { return streams_->undone(); }
  void mark();  // so that whoever waits for what is queued so far waits for no more
  // The device is not asked for memory, and frees none, while it is held (arena.h).
  void hold_memory(bool held) {
    if (arena_) arena_->hold(held);
    if (pinned_) pinned_->hold(held);
  }
  // More than was ever in use: blocks may lie otherwise in the next step.
  void reserve_memory() {
    if (arena_) arena_->reserve();
    if (pinned_ && pinned_->taken() > 0) pinned_->reserve();
  }
  const Arena* arena() const { return arena_ ? &*arena_ : nullptr; }
  // What is given out of both, by address.
  std::set<std::byte*> given() const;
  // The arena of the host's memory that a device reads and writes; null without one.
  const Arena* pinned() const { return pinned_ ? &*pinned_ : nullptr; }

  // What is queued from here on is kept, not done, until it is launched; the lane that begins it
  // ends it and launches it.
  void begin_graph();
  void end_graph();
  void launch_graph();
  bool has_graph() const { return graph_.has_value(); }
  void drop_graph();  // also one that was begun and not ended
  bool graphs() const { return graphs_; }

  // Null: nobody records what the device does.
  kernels::ActivityRecorder* recorder() const { return recorder_; }
  // Neither it nor moments from here on. What was recorded since it was last asked.
  kernels::DeviceRecords stop_recording();

  // Times on a device, where they are asked for: moments in the order of their lanes' work, from
  // the one at the step's beginning on. Known when the step is finished.
  bool timed() const { return timed_; }
  void begin_moments();
  int moment();
  double seconds_until(int moment);

 private:
  kernels::Kernels& kernels_of_lane();
  void await_lane();  // the host waits
  bool has_happened_in_time(kernels::StreamEvent event);
  void join();  // the lane goes on after all others

  HostMemory host_;
  kernels::Kernels* kernels_ = nullptr;
  kernels::Stream no_stream_;
  kernels::Device* device_ = nullptr;
  std::vector<std::unique_ptr<kernels::Kernels>> of_lanes_;  // made when first asked for
  std::optional<Streams> streams_;
  std::optional<Arena> arena_, pinned_;
  Places used_{};  // by lanes in this step
  bool timed_ = false, graphs_ = false;
  kernels::ActivityRecorder* recorder_ = nullptr;
  std::optional<kernels::Graph> graph_;
  std::optional<std::size_t> begun_;           // the lane of a graph that is being kept
  std::vector<kernels::StreamEvent> moments_;  // kept for the next step
  std::size_t moments_taken_ = 0;
  Peers peers_;
  Undone undone_;
  std::chrono::milliseconds within_{};
  std::optional<EventPool> awaited_;
  std::optional<Staging> staging_;
  std::optional<StepEnds> ends_;
  std::deque<std::vector<std::byte>> left_;  // by steps without a device
};

// As long as it lives.
class MemoryHold {
 public:
  MemoryHold(Workplace& place, bool held) : place_(place) { place.hold_memory(held); }
  ~MemoryHold() { place_.hold_memory(false); }
  MemoryHold(const MemoryHold&) = delete;
  MemoryHold& operator=(const MemoryHold&) = delete;

 private:
  Workplace& place_;
};

}  // namespace quintet::engine
