#include "tests/stand_ins/fake_device.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace quintet::engine {

namespace {

using kernels::Graph;
using kernels::Kernels;
using kernels::Stream;
using kernels::StreamEvent;

using Clock = std::chrono::steady_clock;

struct FakeEvent {
  kernels::EventTimes times = kernels::EventTimes::none;
  std::uint64_t recorded = 0;  // how often asked to
  std::map<std::uint64_t, Clock::time_point>
      happened;  // which of these: a later one may come first
};

struct Work {
  enum class Kind { run, record, wait, hold } kind = Kind::run;
  void* stream = nullptr;
  std::function<void()> run;
  FakeEvent* event = nullptr;
  std::uint64_t count = 0;       // of the event's records
  std::function<bool()> over{};  // hold: whether it is
};

struct FakeGraph {
  std::vector<Work> work;
  std::vector<std::function<void()>> at_end;  // when it is destroyed
};

// Streams share a device's connections: what is at the head of one holds up all that is behind it,
// of whatever stream. They are emptied in a random order that keeps each one's own and the events'.
class Queues {
 public:
  Queues(std::mt19937_64& random, std::size_t connections, std::chrono::milliseconds patience)
      : random_(random), connections_(connections), patience_(patience) {}

  void add(Work work) {
    if (empty()) moved_ = Clock::now();
    ++left_[work.stream];
    queues_[connection_of(work.stream)].push_back(std::move(work));
  }

  // One piece from anywhere; false where nothing may run.
  bool advance() {
    std::vector<std::deque<Work>*> ready;
    for (auto& [connection, queue] : queues_)
      if (!queue.empty() && may_run(queue.front())) ready.push_back(&queue);
    if (ready.empty()) return false;
    moved_ = Clock::now();
    std::deque<Work>& queue = *ready[random_() % ready.size()];
    const Work work = std::move(queue.front());
    queue.pop_front();
    --left_[work.stream];
    if (work.run) work.run();
    if (work.kind == Work::Kind::record) work.event->happened[work.count] = Clock::now();
    return true;
  }

  void advance_until(const std::function<bool()>& enough) {
    while (!enough()) {
      if (advance()) continue;
      if (!is_held_up())
        throw std::runtime_error("the fake device stands still: streams wait in a circle");
      if (is_stuck())
        throw std::runtime_error("the fake device was held up for " +
                                 std::to_string(patience_.count()) + " ms");
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  // Nothing has moved for as long as it has patience, and something waits.
  bool is_stuck() const { return !empty() && Clock::now() - moved_ > patience_; }

  bool empty(void* stream) const {
    const auto found = left_.find(stream);
    return found == left_.end() || found->second == 0;
  }
  bool empty() const {
    for (const auto& [connection, queue] : queues_)
      if (!queue.empty()) return false;
    return true;
  }

 private:
  // As CUDA gives them out: in turn.
  std::size_t connection_of(void* stream) {
    return connection_.try_emplace(stream, connection_.size() % connections_).first->second;
  }
  bool is_held_up() const {
    for (const auto& [connection, queue] : queues_)
      if (!queue.empty() && queue.front().kind == Work::Kind::hold) return true;
    return false;
  }
  static bool may_run(const Work& work) {
    if (work.kind == Work::Kind::hold) return work.over();
    return work.kind != Work::Kind::wait || work.count == 0 ||
           work.event->happened.contains(work.count);
  }

  std::mt19937_64& random_;
  std::size_t connections_;
  std::chrono::milliseconds patience_;
  Clock::time_point moved_ = Clock::now();
  std::map<void*, std::size_t> connection_;         // by stream
  std::map<void*, int> left_;                       // pieces of a stream
  std::map<std::size_t, std::deque<Work>> queues_;  // by connection
};

class FakeDevice;

// What a library tunes for: products of a size.
template <class Arguments>
std::string shape_of(const Arguments&) {
  return {};
}
std::string shape_of(const kernels::Gemm& a) {
  return " " + std::to_string(a.rows) + " x " + std::to_string(a.columns) + " x " +
         std::to_string(a.depth);
}

// Every operator by value into the stream's queue.
class QueuedKernels : public Kernels,
                      private kernels::Float8Kernels,
                      private kernels::CosineKernels,
                      private kernels::ReplicatorKernels {
 public:
  QueuedKernels(FakeDevice& device, CallCounts* counts)
      : device_(device),
        fuses_products_(counts != nullptr),
        counts_(counts != nullptr ? *counts : nobodys_) {}

#define QUINTET_OPERATOR(name, Arguments)                           \
  void name(const kernels::Arguments& a, Stream& stream) override { \
    count(a);                                                       \
    ++counts_.kernels;                                              \
    first_use(#name + shape_of(a));                                 \
    queue(stream, [this, a] { at_once_->name(a, host_); });         \
  }
#include "kernels/operators.inc"
#undef QUINTET_OPERATOR

  bool fuses_products() const override {
    return fuses_products_;
  }
  void gemm_gelu(const kernels::GemmGelu& a, Stream& stream) override {
    ++counts_.gelu;
    Kernels::gemm_gelu(a, stream);
  }
  void gemm_gelu_backward(const kernels::GemmGeluBackward& a, Stream& stream) override {
    ++counts_.gelu_backward;
    Kernels::gemm_gelu_backward(a, stream);
  }
  void gemm_bias_gradient(const kernels::GemmBiasGradient& a, Stream& stream) override {
    ++counts_.bias_gradient;
    Kernels::gemm_bias_gradient(a, stream);
  }

  Float8Kernels* on_float8() override {
    return this;
  }
  CosineKernels* on_cosines() override {
    return this;
  }
  ReplicatorKernels* on_replicators() override {
    return this;
  }

 private:
#define QUINTET_QUEUED(part, name, Arguments)                       \
  void name(const kernels::Arguments& a, Stream& stream) override { \
    queue(stream, [this, a] { at_once_->part()->name(a, host_); }); \
  }
  QUINTET_QUEUED(on_float8, absolute_maximum, AbsoluteMaximum)
  QUINTET_QUEUED(on_float8, roll_maxima, RollMaxima)
  QUINTET_QUEUED(on_float8, quantise, Quantise)
  QUINTET_QUEUED(on_float8, dequantise, Dequantise)
  QUINTET_QUEUED(on_float8, float8_gemm, Float8Gemm)
  QUINTET_QUEUED(on_cosines, cosine_transform, CosineTransform)
  QUINTET_QUEUED(on_cosines, largest_coefficients, LargestCoefficients)
  QUINTET_QUEUED(on_cosines, mean_of_coefficients, MeanOfCoefficients)
  QUINTET_QUEUED(on_replicators, momentum_add, MomentumAdd)
  QUINTET_QUEUED(on_replicators, subtract, Subtract)
  QUINTET_QUEUED(on_replicators, pack_positions, PackPositions)
  QUINTET_QUEUED(on_replicators, unpack_positions, UnpackPositions)
  QUINTET_QUEUED(on_replicators, draw_positions, DrawPositions)
  QUINTET_QUEUED(on_replicators, stride_positions, StridePositions)
  QUINTET_QUEUED(on_replicators, take_elements, TakeElements)
  QUINTET_QUEUED(on_replicators, put_elements, PutElements)
  QUINTET_QUEUED(on_replicators, merged_gradient, MergedGradient)
  QUINTET_QUEUED(on_replicators, outer_difference, OuterDifference)
  QUINTET_QUEUED(on_replicators, outer_step, OuterStep)
#undef QUINTET_QUEUED

  void first_use(const std::string& what);
  void queue(const Stream& stream, std::function<void()> run);
  template <class Arguments>
  void count(const Arguments&) {}
  void count(const kernels::AttentionForward& a) {
    ++counts_.attention;
    if (a.shape.lengths == kernels::SequenceLengths::equal) ++counts_.even_attention;
  }

  FakeDevice& device_;
  bool fuses_products_;
  CallCounts nobodys_;
  CallCounts& counts_;
  // Queued work may outlive this object.
  std::shared_ptr<Kernels> at_once_ = kernels::reference_kernels();
  Stream host_;
};

class FakeDevice : public kernels::Device {
 public:
  explicit FakeDevice(const FakeDeviceOptions& options)
      : random_(options.seed),
        connections_(static_cast<std::size_t>(options.connections)),
        patience_(options.patience),
        queues_(random_, connections_, patience_),
        memory_bytes_(options.memory_bytes),
        pinned_left_(options.pinned_bytes),
        pieces_(options.pieces),
        recorder_(options.recorder),
        counts_(options.counts),
        stops_(options.stops) {}
  ~FakeDevice() override {
    for (const auto& [memory, bytes] : given_) std::free(memory);
  }

  kernels::DeviceProperties properties() const override {
    return {"fake device", 0, 1, memory_bytes_, "none", "none"};
  }
  std::size_t free_memory() const override {
    const std::lock_guard lock(mutex_);
    return memory_bytes_ - used_;
  }
  std::unique_ptr<Kernels> make_kernels() override {
    return std::make_unique<QueuedKernels>(*this, counts_);
  }

  void* allocate(std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    stop("allocates");
    if (bytes > free_memory()) return nullptr;
    used_ += bytes;
    return poisoned(bytes);
  }
  void free(void* memory) override {
    const std::lock_guard lock(mutex_);
    if (memory == nullptr) return;
    if (!given_.contains(memory)) return misuse("memory is freed twice");
    stop_for_good("frees");
    used_ -= given_.at(memory);
    take_back(memory);
  }
  void* allocate_pinned(std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    stop("allocates pinned memory");
    if (bytes > pinned_left_) return nullptr;
    pinned_left_ -= bytes;
    return poisoned(bytes);
  }
  void free_pinned(void* memory) override {
    const std::lock_guard lock(mutex_);
    if (!given_.contains(memory)) return misuse("pinned memory is freed twice");
    stop_for_good("frees pinned memory");
    pinned_left_ += given_.at(memory);
    take_back(memory);
  }

  using Device::make_event;
  using Device::make_stream;
  Stream make_stream(kernels::Urgency urgency) override {
    const std::lock_guard lock(mutex_);
    if (counts_ != nullptr && urgency == kernels::Urgency::urgent) ++counts_->urgent_streams;
    return {new_handle()};
  }
  void destroy(Stream stream) override {
    const std::lock_guard lock(mutex_);
    without_failing([&] { queues_.advance_until([&] { return queues_.empty(stream.handle); }); });
  }
  StreamEvent make_event(kernels::EventTimes times) override {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::make_unique<FakeEvent>());
    events_.back()->times = times;
    return {events_.back().get()};
  }
  void destroy(StreamEvent) override {}  // kept to the end: queued work may name it

  void copy(void* to, const void* from, std::size_t bytes, const Stream& stream) override {
    const std::lock_guard lock(mutex_);
    run_on(stream, [=] { std::memcpy(to, from, bytes); });
    // Plain memory of the host: the host waits, as CUDA does.
    if (!capturing_ && (!is_given(to) || !is_given(from))) synchronise(stream);
  }
  void copy_rows(const kernels::RowsCopy& rows, const Stream& stream) override {
    run_on(stream, [rows] {
      for (std::size_t row = 0; row < rows.rows; ++row)
        std::memcpy(static_cast<std::byte*>(rows.to) + row * rows.to_stride,
                    static_cast<const std::byte*>(rows.from) + row * rows.from_stride, rows.bytes);
    });
  }
  void zero(void* memory, std::size_t bytes, const Stream& stream) override {
    run_on(stream, [=] { std::memset(memory, 0, bytes); });
  }

  void record(StreamEvent event, const Stream& stream) override {
    const std::lock_guard lock(mutex_);
    auto* const fake = static_cast<FakeEvent*>(event.handle);
    add({Work::Kind::record, stream.handle, {}, fake, ++fake->recorded});
  }
  void wait(const Stream& stream, StreamEvent event) override {
    const std::lock_guard lock(mutex_);
    auto* const fake = static_cast<FakeEvent*>(event.handle);
    add({Work::Kind::wait, stream.handle, {}, fake, fake->recorded});
  }
  bool has_happened(StreamEvent event) override {
    const std::lock_guard lock(mutex_);
    // Time passes.
    for (int piece = 0; piece < pieces_ && queues_.advance();) ++piece;
    if (queues_.is_stuck())
      throw std::runtime_error("the fake device was held up for " +
                               std::to_string(patience_.count()) + " ms");
    const auto* const fake = static_cast<const FakeEvent*>(event.handle);
    return fake->recorded == 0 || fake->happened.contains(fake->recorded);
  }
  double seconds_between(StreamEvent first, StreamEvent second) override {
    const std::lock_guard lock(mutex_);
    return std::chrono::duration<double>(last_time(second) - last_time(first)).count();
  }
  void synchronise(const Stream& stream) override {
    const std::lock_guard lock(mutex_);
    if (capturing_) throw std::runtime_error("the host waits while a graph is captured");
    queues_.advance_until([&] { return queues_.empty(stream.handle); });
  }

  void begin_capture(const Stream& stream) override {
    const std::lock_guard lock(mutex_);
    if (capturing_) throw std::runtime_error("a capture within a capture");
    capturing_ = true;
    captured_ = std::make_unique<FakeGraph>();
    in_capture_ = {stream.handle};
  }
  Graph end_capture(const Stream&) override {
    const std::lock_guard lock(mutex_);
    capturing_ = false;
    graphs_.push_back(std::move(captured_));
    return {graphs_.back().get()};
  }
  void launch(Graph graph, const Stream& stream) override {
    const std::lock_guard lock(mutex_);
    const auto* const work = static_cast<const FakeGraph*>(graph.handle);
    const std::uint32_t call = recorder_ == nullptr ? 0 : recorder_->call();
    if (counts_ != nullptr) ++counts_->launches;
    // Its nodes need no connections.
    constexpr std::size_t plenty = 1000;
    const auto inside = std::make_shared<Queues>(random_, plenty, patience_);
    const auto begin = [this, work, call, inside] {
      call_of_graph_ = call;
      for (const Work& each : work->work)
        if (each.kind == Work::Kind::record) each.event->happened.erase(each.count);
      for (const Work& each : work->work) inside->add(each);
    };
    const auto over = [inside] {
      while (inside->advance()) continue;
      return inside->empty();
    };
    add({Work::Kind::run, stream.handle, begin, nullptr, 0});
    add({Work::Kind::hold, stream.handle, {}, nullptr, 0, over});
  }
  // Work that is under way goes on, as CUDA's does (cudaGraphExecDestroy).
  void destroy(Graph graph) override {
    std::vector<std::function<void()>> at_end;
    {
      const std::lock_guard lock(mutex_);
      at_end.swap(static_cast<FakeGraph*>(graph.handle)->at_end);
    }
    for (const auto& each : at_end) each();
  }

  void run_on(const Stream& stream, std::function<void()> run) {
    const std::lock_guard lock(mutex_);
    if (recorder_ != nullptr) run = recorded(std::move(run), stream);
    add({Work::Kind::run, stream.handle, std::move(run), nullptr, 0});
  }
  // A kernel that waits for others: recorded from when the stream comes to it until it is over.
  void meet(const Stream& stream, std::function<void()> run, std::function<bool()> over) {
    const std::lock_guard lock(mutex_);
    const auto began = std::make_shared<std::int64_t>(0);
    std::function<void()> end;
    if (recorder_ != nullptr) end = recorded_from([began] { return *began; }, stream);
    add({Work::Kind::run, stream.handle,
         [began, run = std::move(run)] {
           *began = now();
           run();
         },
         nullptr, 0});
    add({Work::Kind::hold, stream.handle, std::move(end), nullptr, 0, std::move(over)});
  }
  bool keeps(const Stream& stream, std::function<void()> at_end) {
    const std::lock_guard lock(mutex_);
    if (!capturing_ || !in_capture_.contains(stream.handle)) return false;
    captured_->at_end.push_back(std::move(at_end));
    return true;
  }
  // Modules are loaded, and products tuned, when they are first asked for.
  void first_use(const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (loaded_.insert(what).second && !capturing_) stop("loads " + what);
  }

 private:
  static std::int64_t now() {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  // `begin` tells when it began, and may be all of it.
  std::function<void()> recorded_from(std::function<std::int64_t()> begin, const Stream& stream) {
    const bool captured = capturing_ && in_capture_.contains(stream.handle);
    const std::uint64_t node = captured ? recorder_->node() : 0;
    const std::uint32_t call = captured ? 0 : recorder_->call();
    return [this, begin = std::move(begin), call, node] {
      const std::int64_t start = begin();
      recorder_->did(node == 0 ? call : call_of_graph_, node, start, now());
    };
  }
  std::function<void()> recorded(std::function<void()> run, const Stream& stream) {
    return recorded_from(
        [run = std::move(run)] {
          const std::int64_t start = now();
          run();
          return start;
        },
        stream);
  }

  // The whole device is waited for, as CUDA does where it maps memory or loads a module.
  void stop(const std::string& why) {
    if (stops_ != nullptr) stops_->add(why);
    finish_everything();
  }

  // What gives back does not fail (kernels/device.h): a device that is stuck stays so.
  template <class Wait>
  static void without_failing(const Wait& wait) {
    try {
      wait();
    } catch (const std::runtime_error&) {
    }
  }
  void stop_for_good(const std::string& why) {
    without_failing([&] { stop(why); });
  }
  // What CUDA would refuse, in words that a test looks for.
  void misuse(const std::string& what) {
    if (stops_ != nullptr) stops_->add(what);
  }

  // During a capture, streams join it by waiting for an event of one that is in it.
  void add(Work work) {
    if (!capturing_) return queues_.add(std::move(work));
    if (work.kind == Work::Kind::wait && captured_events_.contains(work.event))
      in_capture_.insert(work.stream);
    if (!in_capture_.contains(work.stream)) return queues_.add(std::move(work));
    if (work.kind == Work::Kind::record) captured_events_.insert(work.event);
    captured_->work.push_back(std::move(work));
  }

  static Clock::time_point last_time(StreamEvent event) {
    const auto* const fake = static_cast<const FakeEvent*>(event.handle);
    if (fake->times == kernels::EventTimes::none)
      throw std::runtime_error("a time of an event that keeps none");
    const auto found = fake->happened.find(fake->recorded);
    if (found == fake->happened.end())
      throw std::runtime_error("a time of an event that has not happened");
    return found->second;
  }

  void finish_everything() {
    queues_.advance_until([&] { return queues_.empty(); });
  }
  void* poisoned(std::size_t bytes) {
    void* const memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256 + 256);
    std::memset(memory, 0xFF, bytes);
    given_[memory] = bytes;
    return memory;
  }
  void take_back(void* memory) {
    std::memset(memory, 0xFF, given_.at(memory));
    given_.erase(memory);
    std::free(memory);
  }
  bool is_given(const void* memory) const {
    auto after = given_.upper_bound(const_cast<void*>(memory));
    if (after == given_.begin()) return false;
    --after;
    return static_cast<const std::byte*>(memory) <
           static_cast<const std::byte*>(after->first) + after->second;
  }
  void* new_handle() {
    handles_.push_back(std::make_unique<int>());
    return handles_.back().get();
  }

  // CUDA may be called by several threads at once. Recursive: some calls are made of others.
  mutable std::recursive_mutex mutex_;
  std::mt19937_64 random_;
  std::size_t connections_;
  std::chrono::milliseconds patience_;
  Queues queues_;
  std::size_t memory_bytes_, used_ = 0, pinned_left_;
  int pieces_;
  FakeRecorder* recorder_;
  std::uint32_t call_of_graph_ = 0;  // that is running
  CallCounts* counts_;
  Stops* stops_;
  std::set<std::string> loaded_;
  std::map<void*, std::size_t> given_;
  std::vector<std::unique_ptr<int>> handles_;
  std::vector<std::unique_ptr<FakeEvent>> events_;
  std::vector<std::unique_ptr<FakeGraph>> graphs_;
  bool capturing_ = false;
  std::unique_ptr<FakeGraph> captured_;
  std::set<void*> in_capture_;
  std::set<FakeEvent*> captured_events_;
};

void QueuedKernels::first_use(const std::string& what) {
  device_.first_use(what);
}

void QueuedKernels::queue(const Stream& stream, std::function<void()> run) {
  device_.run_on(stream, std::move(run));
}

}  // namespace

std::unique_ptr<kernels::Device> fake_device(const FakeDeviceOptions& options) {
  return std::make_unique<FakeDevice>(options);
}

void queue_meeting(kernels::Device& fake, const Stream& stream, std::function<void()> run,
                   std::function<bool()> over) {
  static_cast<FakeDevice&>(fake).meet(stream, std::move(run), std::move(over));
}

bool kept_in_graph(kernels::Device& fake, const Stream& stream, std::function<void()> at_end) {
  return static_cast<FakeDevice&>(fake).keeps(stream, std::move(at_end));
}

}  // namespace quintet::engine
