#include "tests/stand_ins/moving_nccl.h"

#include <algorithm>
#include <utility>

#include "engine/communication/combine.h"
#include "tests/stand_ins/fake_device.h"
#include "tests/stand_ins/moving_nccl_parts.h"

namespace quintet::engine::test {

MovingNccl::MovingNccl(std::chrono::milliseconds patience) : patience_(patience) {}

MovingNccl::~MovingNccl() {
  for (const auto& handle : handles_)
    if (handle->thread.joinable()) handle->thread.join();
}

int MovingNccl::moves() const {
  const std::scoped_lock lock(mutex_);
  return moves_;
}

std::vector<std::string> MovingNccl::stuck() const {
  const std::scoped_lock lock(mutex_);
  return stuck_;
}

int MovingNccl::registered() const {
  const std::scoped_lock lock(mutex_);
  return registered_;
}

int MovingNccl::windows() const {
  const std::scoped_lock lock(mutex_);
  return windows_;
}

int MovingNccl::sums_in_windows() const {
  const std::scoped_lock lock(mutex_);
  return sums_in_windows_;
}

// --- what waits for other ranks on the host

bool MovingNccl::wait(std::unique_lock<std::mutex>& lock, const std::string& what,
                      const std::function<bool()>& over) {
  changed_.notify_all();
  if (changed_.wait_for(lock, patience_, over)) return true;
  stuck_.push_back(what);
  return false;
}

ncclResult_t MovingNccl::join(ncclComm& handle) {
  std::unique_lock lock(mutex_);
  auto& group = *static_cast<Group*>(handle.group);
  group.joined.insert(handle.position);
  const bool came = wait(lock, handle.text() + " opens it alone", [&] {
    return group.joined.size() == group.members || group.aborted.contains(handle.position);
  });
  return came && !group.aborted.contains(handle.position) ? ncclSuccess : ncclInternalError;
}

// Both sides of all of them, as ncclTransportP2pSetup.
ncclResult_t MovingNccl::connect(ncclComm& handle, const std::set<Side>& sides) {
  std::unique_lock lock(mutex_);
  auto& group = *static_cast<Group*>(handle.group);
  std::set<Side> others;
  std::string names;
  for (const Side& side : sides) {
    if (!group.sides.insert(side).second) continue;
    names += " " + side.first;
    for (int member = 0; member < handle.members; ++member)
      if (side.first == "all" || side.first == route_text(member, handle.position) ||
          side.first == route_text(handle.position, member))
        others.insert({side.first, member});
  }
  const bool came = wait(lock, handle.text() + " alone has come to the first use of" + names, [&] {
    return std::includes(group.sides.begin(), group.sides.end(), others.begin(), others.end()) ||
           group.aborted.contains(handle.position);
  });
  return came && !group.aborted.contains(handle.position) ? ncclSuccess : ncclInternalError;
}

// The n-th of every member are one window.
ncclResult_t MovingNccl::open_window(ncclComm& handle, const Window& window) {
  std::unique_lock lock(mutex_);
  auto& group = *static_cast<Group*>(handle.group);
  std::vector<Window>& mine = group.windows[handle.position];
  const std::size_t number = mine.size();
  mine.push_back(window);
  const bool came = wait(lock, handle.text() + " opens a window alone", [&] {
    bool all = group.windows.size() == group.members;
    for (const auto& [member, windows] : group.windows) all = all && windows.size() > number;
    return all || group.aborted.contains(handle.position);
  });
  if (!came || group.aborted.contains(handle.position)) return ncclInternalError;
  for (const auto& [member, windows] : group.windows) {
    const Window& other = windows[number];
    if (other.bytes == window.bytes && other.offset == window.offset &&
        other.allocated == window.allocated)
      continue;
    stuck_.push_back(handle.text() + " opens another window than member " + std::to_string(member));
    return ncclInvalidUsage;
  }
  ++windows_;
  return ncclSuccess;
}

void MovingNccl::check_windows(const Group& group, const std::map<int, Call>& calls) {
  std::set<std::pair<std::size_t, std::ptrdiff_t>> places;  // window, and from its begin
  std::size_t inside = 0;
  for (const auto& [member, call] : calls) {
    const auto windows = group.windows.find(member);
    if (windows == group.windows.end()) continue;
    for (std::size_t number = 0; number < windows->second.size(); ++number) {
      const Window& window = windows->second[number];
      if (!window.holds(call.buffer)) continue;
      ++inside;
      places.insert({number, call.buffer.data() - window.first});
    }
  }
  if (inside == calls.size() && places.size() == 1) ++sums_in_windows_;
  if (inside == calls.size() ? places.size() != 1 : inside != 0)
    stuck_.push_back("members sum what lies at different places of their windows");
}

ncclResult_t MovingNccl::await_graphs(ncclComm& handle, const std::string& who) {
  std::unique_lock lock(mutex_);
  const bool over =
      wait(lock, who + " of " + handle.text() + " waits for a graph that keeps its work",
           [&] { return handle.graphs == 0; });
  return over ? ncclSuccess : ncclInternalError;
}

// --- what waits for other ranks on the stream

// Numbered when it runs, not when it is called: a graph runs one call again and again.
ncclResult_t MovingNccl::launch(ncclComm& handle, const Call& call, cudaStream_t stream) {
  auto& group = *static_cast<Group*>(handle.group);
  const kernels::Stream on{stream};
  if (handle.called) handle.device->wait(on, handle.last);
  handle.called = true;
  const auto which = std::make_shared<std::uint64_t>(0);
  const int member = handle.position;
  const bool kept = kept_in_graph(*handle.device, on, [this, &handle] {
    const std::scoped_lock lock(mutex_);
    --handle.graphs;
    changed_.notify_all();
  });
  if (kept) {
    const std::scoped_lock lock(mutex_);
    ++handle.graphs;
  }
  queue_meeting(
      *handle.device, on, [=, this, &group] { *which = arrive(group, member, call); },
      [=, this, &group] { return is_over(group, member, *which); });
  handle.device->record(handle.last, on);
  return ncclSuccess;
}

std::uint64_t MovingNccl::arrive(Group& group, int member, const Call& call) {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t which = ++group.arrivals[static_cast<std::size_t>(member)];
  if (group.aborted.contains(member)) return which;  // its memory may be gone
  std::map<int, Call>& calls = group.waiting[which];
  calls[member] = call;
  if (calls.size() < group.members) return which;
  if (call.message == Call::Message::none && call.kind == CollectiveKind::all_reduce)
    check_windows(group, calls);
  std::vector<Call> all;
  for (const auto& [place, each] : calls) all.push_back(each);
  move(all);
  ++moves_;
  group.waiting.erase(which);
  group.over.insert(which);
  return which;
}

bool MovingNccl::is_over(const Group& group, int member, std::uint64_t which) const {
  const std::scoped_lock lock(mutex_);
  return group.aborted.contains(member) || group.over.contains(which);
}

void MovingNccl::exchange(std::vector<Call>& calls) {
  for (std::size_t to = 0; to < calls.size(); ++to)
    for (const Call::Part& place : calls[to].received)
      for (const Call::Part& part : calls[static_cast<std::size_t>(place.peer)].sent)
        if (part.peer == static_cast<int>(to))
          std::copy(part.bytes.begin(), part.bytes.end(), place.bytes.begin());
}

void MovingNccl::combine_all(const std::vector<Call>& calls) {
  std::vector<CollectiveCall> works;
  for (const Call& call : calls) {
    CollectiveCall work;
    work.kind = call.kind == CollectiveKind::reduce ? CollectiveKind::all_reduce : call.kind;
    work.buffer = call.buffer;
    work.type = call.type;
    work.reduction = call.reduction;
    works.push_back(work);
  }
  combine(works);
}

void MovingNccl::move(std::vector<Call>& calls) {
  const Call& first = calls.front();
  const auto root = static_cast<std::size_t>(first.root);
  if (first.message != Call::Message::none) {
    const std::size_t sender = first.message == Call::Message::sent ? 0 : 1;
    std::copy(calls[sender].buffer.begin(), calls[sender].buffer.end(),
              calls[1 - sender].buffer.begin());
    return;
  }
  if (first.kind == CollectiveKind::all_to_all) return exchange(calls);
  if (first.kind == CollectiveKind::broadcast) {
    for (Call& call : calls)
      if (&call != &calls[root])
        std::copy(calls[root].buffer.begin(), calls[root].buffer.end(), call.buffer.begin());
    return;
  }
  if (first.kind == CollectiveKind::reduce) return reduce(calls);
  combine_all(calls);
}

// All but the root keep what they had.
void MovingNccl::reduce(const std::vector<Call>& calls) {
  std::vector<std::vector<std::byte>> before;
  for (const Call& call : calls) before.emplace_back(call.buffer.begin(), call.buffer.end());
  combine_all(calls);
  for (std::size_t place = 0; place < calls.size(); ++place)
    if (static_cast<int>(place) != calls.front().root)
      std::copy(before[place].begin(), before[place].end(), calls[place].buffer.begin());
}

}  // namespace quintet::engine::test
