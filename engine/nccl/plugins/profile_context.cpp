#include "engine/nccl/plugins/profile_context.h"

#include <iterator>
#include <utility>

namespace quintet::nccl_plugin {

namespace {

constexpr std::size_t most_under_way = 65536;

}  // namespace

ProfileContext::ProfileContext(std::uint64_t id, const char* name, int nodes, int ranks, int rank,
                               Logger log, const char* path)
    : log_(log), file_(path) {
  head_ = "{\"communicator\": " + quoted(name) + ", \"id\": " + in_hex(id) +
          ", \"rank\": " + std::to_string(rank) + ", \"ranks\": " + std::to_string(ranks) +
          ", \"nodes\": " + std::to_string(nodes);
}

namespace {

std::string head_of(const CollectiveEvent& event) {
  return ", \"function\": " + quoted(event.function) +
         ", \"sequence\": " + std::to_string(event.sequence) +
         ", \"count\": " + std::to_string(event.count) + ", \"type\": " + quoted(event.type) +
         ", \"algorithm\": " + quoted(event.algorithm) +
         ", \"protocol\": " + quoted(event.protocol) +
         ", \"channels\": " + std::to_string(event.channels);
}

std::string head_of(const MessageEvent& event) {
  return ", \"function\": " + quoted(event.function) + ", \"peer\": " + std::to_string(event.peer) +
         ", \"count\": " + std::to_string(event.count) + ", \"type\": " + quoted(event.type) +
         ", \"channels\": " + std::to_string(event.channels);
}

}  // namespace

Handle* ProfileContext::start(const ProfilerEvent& event) {
  const std::scoped_lock lock(mutex_);
  switch (static_cast<EventType>(event.type)) {
    case event_collective:
      return start_operation(head_of(event.collective), event.collective.channels);
    case event_message:
      return start_operation(head_of(event.message), event.message.channels);
    case event_kernel_channel:
      return start_channel(event);
  }
  return nullptr;
}

Handle* ProfileContext::start_operation(std::string head, int channels) {
  if (under_way_.size() >= most_under_way) {
    ++dropped_;
    return nullptr;
  }
  RunningOperation& operation = under_way_.emplace_back();
  operation.handle = {Handle::Kind::operation, this, &operation};
  operation.head = std::move(head);
  operation.expected = static_cast<std::size_t>(channels);
  operation.channels.reserve(operation.expected);
  operation.place = std::prev(under_way_.end());
  return &operation.handle;
}

Handle* ProfileContext::start_channel(const ProfilerEvent& event) {
  if (event.parent == nullptr) return nullptr;
  RunningOperation& operation = *static_cast<Handle*>(event.parent)->operation;
  if (operation.channels.size() == operation.expected) {
    ++dropped_;
    return nullptr;
  }
  Channel& channel = operation.channels.emplace_back();
  channel.handle = {Handle::Kind::channel, this, &operation};
  channel.number = event.kernel_channel.channel;
  channel.start = event.kernel_channel.start;
  return &channel.handle;
}

void ProfileContext::stop(Handle& handle) {
  const std::scoped_lock lock(mutex_);
  RunningOperation& operation = *handle.operation;
  if (handle.kind == Handle::Kind::operation)
    operation.enqueued = true;
  else
    ++operation.over;
  write_if_over(operation);
}

void ProfileContext::kernel_stopped(Handle& handle, std::uint64_t when) {
  const std::scoped_lock lock(mutex_);
  for (Channel& channel : handle.operation->channels)
    if (&channel.handle == &handle) {
      channel.stop = when;
      channel.over = true;
    }
}

void ProfileContext::write_if_over(RunningOperation& operation) {
  if (!operation.enqueued || operation.over < operation.expected) return;
  write(operation, true);
  under_way_.erase(operation.place);
}

// Channels of one kernel start and stop apart: the collective takes as long as the longest.
void ProfileContext::write(const RunningOperation& operation, bool complete) {
  std::uint64_t longest = 0;
  std::string channels;
  for (const Channel& channel : operation.channels) {
    if (!channel.over) continue;
    if (channel.stop > channel.start && channel.stop - channel.start > longest)
      longest = channel.stop - channel.start;
    channels += std::string(channels.empty() ? "" : ", ") + "[" + std::to_string(channel.number) +
                ", " + std::to_string(channel.start) + ", " + std::to_string(channel.stop) + "]";
  }
  complete = complete && !channels.empty();
  file_.add(head_ + operation.head + ", \"complete\": " + (complete ? "true" : "false") +
            ", \"duration_ns\": " + (complete ? std::to_string(longest) : "null") +
            ", \"channel_times_ns\": [" + channels + "]}");
}

void ProfileContext::finalize() {
  const std::scoped_lock lock(mutex_);
  for (const RunningOperation& operation : under_way_) write(operation, false);
  if (dropped_ > 0 || file_.lost() > 0)
    warn(profiler_name, log_,
         std::to_string(dropped_) + " events were dropped and " + std::to_string(file_.lost()) +
             " lines could not be written");
}

}  // namespace quintet::nccl_plugin
