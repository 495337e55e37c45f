#include "tests/stand_ins/fake_recorder.h"

#include <utility>

namespace quintet::engine {

void FakeRecorder::begin(std::uint64_t purpose) {
  const std::scoped_lock lock(mutex_);
  purposes_[std::this_thread::get_id()].push_back(purpose);
}

void FakeRecorder::end() {
  const std::scoped_lock lock(mutex_);
  purposes_[std::this_thread::get_id()].pop_back();
}

std::uint64_t FakeRecorder::purpose() const {
  const auto found = purposes_.find(std::this_thread::get_id());
  return found == purposes_.end() || found->second.empty() ? 0 : found->second.back();
}

kernels::DeviceRecords FakeRecorder::collect() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(records_, {});
}

kernels::DeviceRecords FakeRecorder::stop() {
  kernels::DeviceRecords last = collect();
  const std::scoped_lock lock(mutex_);
  stopped = true;
  return last;
}

std::uint32_t FakeRecorder::call() {
  const std::scoped_lock lock(mutex_);
  ++calls_;
  if (purpose() != 0) records_.purposes.push_back({calls_, purpose()});
  return calls_;
}

std::uint64_t FakeRecorder::node() {
  const std::scoped_lock lock(mutex_);
  ++nodes_;
  if (purpose() != 0) captured_for_[nodes_] = purpose();
  return nodes_;
}

void FakeRecorder::did(std::uint32_t call, std::uint64_t node, std::int64_t start,
                       std::int64_t end) {
  const std::scoped_lock lock(mutex_);
  kernels::Activity activity{.start = start, .end = end, .call = call, .graph_node = node};
  activity.name = "fake_kernel";
  const auto found = captured_for_.find(node);
  if (found != captured_for_.end()) activity.captured_for = found->second;
  if (!stopped) records_.activities.push_back(std::move(activity));
}

}  // namespace quintet::engine
