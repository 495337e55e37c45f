#include "tests/stand_ins/fake_recorder.h"

#include <utility>

namespace quintet::engine {

kernels::DeviceRecords FakeRecorder::collect() {
  return std::exchange(records_, {});
}

kernels::DeviceRecords FakeRecorder::stop() {
  stopped = true;
  return collect();
}

std::uint32_t FakeRecorder::call() {
  ++calls_;
  if (!purposes_.empty()) records_.purposes.push_back({calls_, purposes_.back()});
  return calls_;
}

std::uint64_t FakeRecorder::node() {
  ++nodes_;
  if (!purposes_.empty()) captured_for_[nodes_] = purposes_.back();
  return nodes_;
}

void FakeRecorder::did(std::uint32_t call, std::uint64_t node, std::int64_t start,
                       std::int64_t end) {
  kernels::Activity activity{.start = start, .end = end, .call = call, .graph_node = node};
  activity.name = "fake_kernel";
  const auto found = captured_for_.find(node);
  if (found != captured_for_.end()) activity.captured_for = found->second;
  if (!stopped) records_.activities.push_back(std::move(activity));
}

}  // namespace quintet::engine
