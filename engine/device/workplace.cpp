#include "engine/device/workplace.h"

#include <fmt/format.h>

#include <cassert>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

#include "engine/device/lost_peer.h"

namespace quintet::engine {

namespace {

constexpr std::chrono::milliseconds peers_unasked{1};

}  // namespace

Workplace::Workplace(kernels::Device& device, const std::vector<kernels::Urgency>& lanes,
                     const DeviceOptions& options)
    : device_(&device),
      of_lanes_(lanes.size()),
      timed_(options.times),
      graphs_(options.graphs),
      recorder_(options.recorder),
      within_(options.within) {
  streams_.emplace(device, lanes);
  arena_.emplace(device, *streams_, options.memory);
  ArenaSize pinned;
  pinned.whose = MemoryOf::host;
  pinned.more = std::size_t{16} << 20;
  pinned.better = {[&device](std::size_t bytes) { return device.allocate_pinned(bytes); },
                   [&device](void* memory) { device.free_pinned(memory); }};
  pinned_.emplace(device, *streams_, pinned);
  awaited_.emplace(device);
  staging_.emplace(device);
  ends_.emplace(device);
}

Workplace::~Workplace() {
  drop_graph();
  for (const kernels::StreamEvent event : moments_) device_->destroy(event);
}

// Implementations keep memory for what a kernel writes and reads again: lanes must not share it.
kernels::Kernels& Workplace::kernels_of_lane() {
  std::unique_ptr<kernels::Kernels>& kernels = of_lanes_[lane()];
  if (!kernels) kernels = device_->make_kernels();
  return *kernels;
}

Buffer Workplace::make(Index count, DataType type) {
  return on_device() ? Buffer(*arena_, count, type) : Buffer(host_, count, type);
}

Buffer Workplace::zeroed(Index count, DataType type) {
  Buffer made = make(count, type);
  zero(made);
  return made;
}

Buffer Workplace::zeroed_for_sums(Index count, DataType type, std::uint64_t layout) {
  const auto bytes = static_cast<std::size_t>(static_cast<double>(count) * size_of(type).value);
  std::byte* const memory = on_device() ? arena_->take_fixed(bytes, layout) : nullptr;
  if (memory == nullptr) return count > 0 ? zeroed(count, type) : Buffer();
  Buffer made(memory, count, type);
  zero(made);
  return made;
}

Buffer Workplace::make_on_host(Index count, DataType type) {
  return on_device() ? Buffer(*pinned_, count, type) : Buffer(host_, count, type);
}

Buffer Workplace::zeroed_on_host(Index count, DataType type) {
  Buffer made = make_on_host(count, type);
  zero_on_host(made);
  return made;
}

void Workplace::zero_on_host(Buffer& buffer) {
  if (!buffer.empty()) std::memset(buffer.bytes().data(), 0, buffer.bytes().size());
}

void Workplace::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  if (on_device())
    device_->copy(to, from, bytes, stream());
  else
    std::memcpy(to, from, bytes);
}

void Workplace::copy_rows(const kernels::RowsCopy& rows) {
  if (on_device()) {
    device_->copy_rows(rows, stream());
    return;
  }
  auto* const to = static_cast<std::byte*>(rows.to);
  const auto* const from = static_cast<const std::byte*>(rows.from);
  for (std::size_t row = 0; row < rows.rows; ++row)
    std::memcpy(to + row * rows.to_stride, from + row * rows.from_stride, rows.bytes);
}

void Workplace::zero(Buffer& buffer) {
  zero(buffer.bytes().data(), buffer.bytes().size());
}

void Workplace::zero(void* memory, std::size_t bytes) {
  if (bytes == 0) return;
  if (on_device())
    device_->zero(memory, bytes, stream());
  else
    std::memset(memory, 0, bytes);
}

Buffer Workplace::bring(Buffer values) {
  if (!on_device()) return values;
  Buffer brought = make(values.count(), values.type());
  send(brought.bytes().data(), values.bytes().data(), values.bytes().size());
  return brought;
}

// A copy to memory that is not pinned waits itself, and asks nobody: nothing may be left to wait
// for.
void Workplace::fetch(void* host, const void* from, std::size_t bytes) {
  if (on_device()) await_lane();
  copy(host, from, bytes);
  if (on_device()) await_lane();
}

std::vector<float> Workplace::fetched(const float* from, Index count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  fetch(values.data(), from, values.size() * sizeof(float));
  return values;
}

void Workplace::send(void* to, const void* host, std::size_t bytes) {
  if (on_device()) await_lane();
  copy(to, host, bytes);
  if (on_device()) await_lane();
}

void Workplace::send_soon(void* to, const void* host, std::size_t bytes) {
  if (!on_device()) return copy(to, host, bytes);
  if (!staging_->holds(bytes)) {
    await_lane();
    staging_->grow(bytes);
  }
  if (staging_->in_use()) await(*staging_->in_use());
  std::memcpy(staging_->memory(), host, bytes);
  copy(to, staging_->memory(), bytes);
  staging_->used_on(stream());
}

void Workplace::enter(std::size_t lane) {
  if (!on_device()) return;
  arena_->enter(lane);
  pinned_->enter(lane);
  used_[lane] = streams_->next(lane);
}

Places Workplace::here() const {
  Places places{};
  if (on_device()) places[lane()] = streams_->next(lane());
  return places;
}

void Workplace::follow(const Places& before) {
  if (on_device()) streams_->order(lane(), before);
}

void Workplace::mark() {
  if (on_device()) streams_->record(lane());
}

std::set<std::byte*> Workplace::given() const {
  std::set<std::byte*> all = arena_->given();
  all.insert(pinned_->given().begin(), pinned_->given().end());
  return all;
}

kernels::DeviceRecords Workplace::stop_recording() {
  timed_ = false;
  kernels::ActivityRecorder* const stopped = std::exchange(recorder_, nullptr);
  return stopped == nullptr ? kernels::DeviceRecords() : stopped->stop();
}

void Workplace::begin_moments() {
  moments_taken_ = 0;
  moment();
}

int Workplace::moment() {
  if (!timed_) return 0;
  if (moments_taken_ == moments_.size())
    moments_.push_back(device_->make_event(kernels::EventTimes::kept));
  device_->record(moments_[moments_taken_], stream());
  return static_cast<int>(moments_taken_++);
}

double Workplace::seconds_until(int moment) {
  return device_->seconds_between(moments_.front(), moments_[static_cast<std::size_t>(moment)]);
}

void Workplace::join() {
  for (std::size_t each = 0; each < streams_->count(); ++each)
    if (used_[each] > 0) used_[each] = streams_->next(each);
  follow(std::exchange(used_, {}));
}

void Workplace::finish_step() {
  if (!on_device()) return;
  join();
  await_lane();
  assert(ends_->waiting() == 0);
  streams_->end_step();
  streams_->over();
}

void Workplace::end_step(std::span<const MemoryPart> left) {
  if (!on_device()) {
    std::vector<std::byte>& all = left_.emplace_back();
    for (const MemoryPart& part : left) {
      const auto* const from = static_cast<const std::byte*>(part.memory);
      all.insert(all.end(), from, from + part.bytes);
    }
    return;
  }
  join();
  ends_->add(left, stream());
  streams_->end_step();
}

std::vector<std::byte> Workplace::await_step() {
  if (!on_device()) {
    std::vector<std::byte> oldest = std::move(left_.front());
    left_.pop_front();
    return oldest;
  }
  await(ends_->end());
  streams_->over();
  return ends_->take();
}

void Workplace::await_lane() {
  const kernels::StreamEvent reached = awaited_->record(stream());
  await(reached);
  awaited_->give_back(reached);
}

void Workplace::await(kernels::StreamEvent event) {
  const auto start = std::chrono::steady_clock::now();
  while (!has_happened_in_time(event)) {
    if (auto lost = peers_ ? peers_() : std::nullopt) throw LostPeer(std::move(*lost));
    if (std::chrono::steady_clock::now() - start < within_) continue;
    throw std::runtime_error(fmt::format("has not done within {} ms what was queued: {}",
                                         within_.count(),
                                         undone_ ? undone_() : std::string("before any step")));
  }
}

void Workplace::await(const std::future<void>& over) {
  while (over.wait_for(peers_unasked) != std::future_status::ready)
    if (auto lost = peers_ ? peers_() : std::nullopt) throw LostPeer(std::move(*lost));
}

// Within what peers may be left unasked for; looks often at first, since steps are short.
bool Workplace::has_happened_in_time(kernels::StreamEvent event) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds eager{200}, nap{20};
  const Clock::time_point start = Clock::now();
  for (Clock::duration waited{}; waited < peers_unasked; waited = Clock::now() - start) {
    if (device_->has_happened(event)) return true;
    if (waited < eager)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(nap);
  }
  return false;
}

void Workplace::begin_graph() {
  begun_ = lane();
  device_->begin_capture(stream());
}

void Workplace::end_graph() {
  join();
  begun_.reset();
  graph_ = device_->end_capture(stream());
  streams_->become_graph();
}

void Workplace::launch_graph() {
  device_->launch(*graph_, stream());
}

// A capture that broke off must be ended too: NCCL's abort would wait for it. What broke is known,
// and whoever calls goes on to tell others.
void Workplace::drop_graph() {
  const auto tried = [](const auto& step) {
    try {
      step();
    } catch (const std::runtime_error&) {
    }
  };
  if (begun_) {
    enter(*begun_);
    tried([&] { join(); });
    begun_.reset();
    tried([&] { graph_ = device_->end_capture(stream()); });
    streams_->become_graph();
  }
  if (const auto graph = std::exchange(graph_, std::nullopt))
    tried([&] { device_->destroy(*graph); });
}

}  // namespace quintet::engine
