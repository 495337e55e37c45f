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
};

// Queues by stream, emptied in a random order that keeps each stream's own and the events'.
class Queues {
 public:
  explicit Queues(std::mt19937_64& random) : random_(random) {}

  void add(Work work) { queues_[work.stream].push_back(std::move(work)); }

  // One piece from anywhere; false where nothing may run.
  bool advance() {
    std::vector<std::deque<Work>*> ready;
    for (auto& [stream, queue] : queues_)
      if (!queue.empty() && may_run(queue.front())) ready.push_back(&queue);
    if (ready.empty()) return false;
    std::deque<Work>& queue = *ready[random_() % ready.size()];
    const Work work = std::move(queue.front());
    queue.pop_front();
    if (work.kind == Work::Kind::run) work.run();
    if (work.kind == Work::Kind::record) work.event->happened[work.count] = Clock::now();
    return true;
  }

  void advance_until(const std::function<bool()>& enough) {
    Clock::time_point moved = Clock::now();
    while (!enough()) {
      if (advance()) {
        moved = Clock::now();
        continue;
      }
      if (!is_held_up())
        throw std::runtime_error("the fake device stands still: streams wait in a circle");
      if (Clock::now() - moved > std::chrono::seconds(60))
        throw std::runtime_error("the fake device was held up for a minute");
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  bool empty(void* stream) const {
    const auto found = queues_.find(stream);
    return found == queues_.end() || found->second.empty();
  }
  bool empty() const {
    for (const auto& [stream, queue] : queues_)
      if (!queue.empty()) return false;
    return true;
  }

 private:
  bool is_held_up() const {
    for (const auto& [stream, queue] : queues_)
      if (!queue.empty() && queue.front().kind == Work::Kind::hold) return true;
    return false;
  }
  static bool may_run(const Work& work) {
    if (work.kind == Work::Kind::hold) return work.over();
    return work.kind != Work::Kind::wait || work.count == 0 ||
           work.event->happened.contains(work.count);
  }

  std::mt19937_64& random_;
  std::map<void*, std::deque<Work>> queues_;
};

class FakeDevice;

// Every operator by value into the stream's queue.
class QueuedKernels : public Kernels,
                      private kernels::Float8Kernels,
                      private kernels::CosineKernels {
 public:
  QueuedKernels(FakeDevice& device, CallCounts* counts)
      : device_(device),
        fuses_products_(counts != nullptr),
        counts_(counts != nullptr ? *counts : nobodys_) {}

#define QUINTET_OPERATOR(name, Arguments)                           \
  void name(const kernels::Arguments& a, Stream& stream) override { \
    count(a);                                                       \
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

 private:
#define QUINTET_QUEUED(part, name, Arguments)                       \
  void name(const kernels::Arguments& a, Stream& stream) override { \
    queue(stream, [this, a] { at_once_->part()->name(a, host_); }); \
  }
  QUINTET_QUEUED(on_float8, absolute_maximum, AbsoluteMaximum)
  QUINTET_QUEUED(on_float8, quantise, Quantise)
  QUINTET_QUEUED(on_float8, float8_gemm, Float8Gemm)
  QUINTET_QUEUED(on_cosines, cosine_transform, CosineTransform)
  QUINTET_QUEUED(on_cosines, largest_coefficients, LargestCoefficients)
  QUINTET_QUEUED(on_cosines, mean_of_coefficients, MeanOfCoefficients)
#undef QUINTET_QUEUED

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
        queues_(random_),
        memory_bytes_(options.memory_bytes),
        pieces_(options.pieces),
        recorder_(options.recorder),
        counts_(options.counts) {}
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
    if (bytes > free_memory()) return nullptr;
    used_ += bytes;
    return poisoned(bytes);
  }
  void free(void* memory) override {
    const std::lock_guard lock(mutex_);
    if (memory == nullptr) return;
    finish_everything();
    used_ -= given_.at(memory);
    take_back(memory);
  }
  void* allocate_pinned(std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    return poisoned(bytes);
  }
  void free_pinned(void* memory) override {
    const std::lock_guard lock(mutex_);
    finish_everything();
    take_back(memory);
  }

  Stream make_stream() override {
    const std::lock_guard lock(mutex_);
    return {new_handle()};
  }
  void destroy(Stream stream) override {
    const std::lock_guard lock(mutex_);
    queues_.advance_until([&] { return queues_.empty(stream.handle); });
  }
  StreamEvent make_event() override {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::make_unique<FakeEvent>());
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
    const auto run = [this, work, call] {
      call_of_graph_ = call;
      Queues inside(random_);
      for (const Work& each : work->work) {
        if (each.kind == Work::Kind::record) each.event->happened.erase(each.count);
      }
      for (const Work& each : work->work) inside.add(each);
      inside.advance_until([&] { return inside.empty(); });
    };
    add({Work::Kind::run, stream.handle, run, nullptr, 0});
  }
  void destroy(Graph) override {}

  void run_on(const Stream& stream, std::function<void()> run) {
    const std::lock_guard lock(mutex_);
    if (recorder_ != nullptr) run = recorded(std::move(run), stream);
    add({Work::Kind::run, stream.handle, std::move(run), nullptr, 0});
  }
  void hold_up(const Stream& stream, std::function<bool()> over) {
    const std::lock_guard lock(mutex_);
    add({Work::Kind::hold, stream.handle, {}, nullptr, 0, std::move(over)});
  }

 private:
  std::function<void()> recorded(std::function<void()> run, const Stream& stream) {
    const bool captured = capturing_ && in_capture_.contains(stream.handle);
    const std::uint64_t node = captured ? recorder_->node() : 0;
    const std::uint32_t call = captured ? 0 : recorder_->call();
    return [this, run = std::move(run), call, node] {
      const auto now = [] {
        return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch())
            .count();
      };
      const std::int64_t start = now();
      run();
      recorder_->did(node == 0 ? call : call_of_graph_, node, start, now());
    };
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
  Queues queues_;
  std::size_t memory_bytes_, used_ = 0;
  int pieces_;
  FakeRecorder* recorder_;
  std::uint32_t call_of_graph_ = 0;  // that is running
  CallCounts* counts_;
  std::map<void*, std::size_t> given_;
  std::vector<std::unique_ptr<int>> handles_;
  std::vector<std::unique_ptr<FakeEvent>> events_;
  std::vector<std::unique_ptr<FakeGraph>> graphs_;
  bool capturing_ = false;
  std::unique_ptr<FakeGraph> captured_;
  std::set<void*> in_capture_;
  std::set<FakeEvent*> captured_events_;
};

void QueuedKernels::queue(const Stream& stream, std::function<void()> run) {
  device_.run_on(stream, std::move(run));
}

}  // namespace

std::unique_ptr<kernels::Device> fake_device(const FakeDeviceOptions& options) {
  return std::make_unique<FakeDevice>(options);
}

void queue_meeting(kernels::Device& fake, const Stream& stream, std::function<void()> run,
                   std::function<bool()> over) {
  auto& device = static_cast<FakeDevice&>(fake);
  device.run_on(stream, std::move(run));
  device.hold_up(stream, std::move(over));
}

}  // namespace quintet::engine
