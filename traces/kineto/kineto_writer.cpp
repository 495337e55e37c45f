#include "traces/kineto/kineto_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "sim/timeline/chrome_trace/trace_text.h"
#include "traces/kineto/planned_calls.h"
#include "traces/kineto/written_names.h"

namespace quintet {
namespace {

using kineto::PlannedCall;
using kineto::PlannedCalls;

constexpr int device = 0;  // a rank sees its own only

std::string microseconds(std::int64_t nanoseconds) {
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

class Writing {
 public:
  Writing(std::ostream& out, const Workload& workload, const WorkloadRank& rank)
      : out_(out),
        workload_(workload),
        rank_(rank),
        groups_(kineto::group_names(workload, rank)),
        plan_(kineto::planned_calls(workload, rank)),
        streams_(kineto::stream_numbers(workload)),
        process_(100'000 + rank.rank.value) {}
  KinetoWritten written();

 private:
  std::vector<std::string> descriptions() const;
  void write_header();
  void write_names();
  void write_name(std::string_view what, std::int64_t process, std::int64_t thread,
                  std::string_view key, const std::string& value);
  void write_step();
  void write_work(std::int32_t task);
  // Returns the number of the one that asked for the work.
  std::int64_t write_operations(std::int32_t task, const std::string& arguments);
  void write_call(std::int64_t thread, const PlannedCall& call);
  void write_synchronisation(const PlannedCall& call);
  void write_event(std::string_view category, const std::string& name, std::int64_t process,
                   std::int64_t thread, std::int64_t start, std::int64_t end,
                   const std::string& arguments);
  void write_arrow(std::int64_t id, std::int64_t process, std::int64_t thread, std::int64_t at,
                   bool is_start);
  std::int64_t thread_id(std::size_t thread) const {
    return process_ + static_cast<std::int64_t>(thread);
  }
  std::int64_t stream(std::int64_t lane) const { return streams_[static_cast<std::size_t>(lane)]; }
  const SpanInfo& info(std::int32_t task) const {
    return workload_
        .infos[static_cast<std::size_t>(rank_.tasks[static_cast<std::size_t>(task)].info)];
  }
  const TaskPeers* peers(std::int32_t task) const {
    const std::int32_t index = rank_.tasks[static_cast<std::size_t>(task)].peers;
    return index < 0 ? nullptr : &rank_.peers[static_cast<std::size_t>(index)];
  }
  std::ostream& next() {
    out_ << (std::exchange(first_, false) ? "\n  " : ",\n  ");
    return out_;
  }

  std::ostream& out_;
  const Workload& workload_;
  const WorkloadRank& rank_;
  const std::vector<std::string> groups_;
  const PlannedCalls plan_;
  const std::vector<std::int64_t> streams_;  // per lane
  const std::int64_t process_;
  // By correlation: the operation that asked for what was launched first.
  std::unordered_map<std::int64_t, std::int64_t> asked_by_;
  std::int64_t operations_ = 0;
  bool first_ = true;
};

KinetoWritten Writing::written() {
  write_header();
  write_names();
  write_step();
  for (std::size_t i = 0; i < rank_.tasks.size(); ++i)
    if (plan_.launches[i].correlation >= 0) write_work(static_cast<std::int32_t>(i));
  for (std::size_t thread = 0; thread < plan_.threads.size(); ++thread)
    for (const PlannedCall& call : plan_.threads[thread]) write_call(thread_id(thread), call);
  out_ << "\n  ],\n  \"traceName\": " << json_string(workload_.name) << "\n}\n";
  return {plan_.dependencies_left_out};
}

// Of each group, what its first collective serves.
std::vector<std::string> Writing::descriptions() const {
  std::vector<std::string> found(groups_.size());
  for (std::size_t i = 0; i < rank_.tasks.size(); ++i) {
    const auto task = static_cast<std::int32_t>(i);
    if (info(task).kind != SpanKind::collective || peers(task) == nullptr) continue;
    if (peers(task)->group < 0) continue;
    std::string& description = found[static_cast<std::size_t>(peers(task)->group)];
    if (description.empty()) description = name_of(info(task).axis);
  }
  return found;
}

void Writing::write_header() {
  const std::vector<std::string> described = descriptions();
  std::string groups;
  int count = 0;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (groups_[i].empty()) continue;
    groups += fmt::format(
        R"({}{{"pg_name": {}, "pg_desc": {}, "backend_config": "cuda:nccl", "pg_size": {}, )"
        R"("ranks": {}}})",
        count++ > 0 ? ", " : "", json_string(groups_[i]), json_string(described[i]),
        workload_.groups[i].members.size(), kineto::rank_list(workload_.groups[i].members));
  }
  out_ << fmt::format(
      R"({{
  "schemaVersion": 1,
  "deviceProperties": [
    {{"id": {}, "name": "GPU of {}"}}
  ],
  "distributedInfo": {{"backend": "nccl", "rank": {}, "world_size": {}, "pg_count": {}, )"
      R"("pg_config": [{}], "nccl_version": ""}},
  "host_name": {},
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 0,
  "traceEvents": [)",
      device, fmt::format("rank {}", rank_.rank.value), rank_.rank.value, workload_.world_size,
      count, groups, json_string(rank_.host));
}

void Writing::write_name(std::string_view what, std::int64_t process, std::int64_t thread,
                         std::string_view key, const std::string& value) {
  next() << fmt::format(
      R"({{"name": "{}", "ph": "M", "ts": 0.000, "pid": {}, "tid": {}, "args": {{"{}": {}}}}})",
      what, process, thread, key, value);
}

void Writing::write_names() {
  write_name("process_name", process_, 0, "name", "\"python\"");
  write_name("process_labels", process_, 0, "labels", "\"CPU\"");
  write_name("process_name", device, 0, "name", "\"python\"");
  write_name("process_labels", device, 0, "labels", fmt::format("\"GPU {}\"", device));
  std::set<int> used;
  for (std::size_t i = 0; i < rank_.tasks.size(); ++i)
    if (plan_.launches[i].correlation >= 0) used.insert(info(static_cast<std::int32_t>(i)).lane);
  for (const int lane : used)
    write_name("thread_name", device, stream(lane), "name",
               json_string(workload_.lanes[static_cast<std::size_t>(lane)].name));
  for (std::size_t thread = 0; thread < plan_.threads.size(); ++thread)
    if (!plan_.threads[thread].empty())
      write_name("thread_name", process_, thread_id(thread), "name",
                 fmt::format("\"thread {} (python)\"", thread_id(thread)));
}

void Writing::write_event(std::string_view category, const std::string& name, std::int64_t process,
                          std::int64_t thread, std::int64_t start, std::int64_t end,
                          const std::string& arguments) {
  next() << fmt::format(R"({{"ph": "X", "cat": "{}", "name": {}, "pid": {}, "tid": {}, "ts": {}, )"
                        R"("dur": {}, "args": {{{}}}}})",
                        category, json_string(name), process, thread, microseconds(start),
                        microseconds(end - start), arguments);
}

void Writing::write_arrow(std::int64_t id, std::int64_t process, std::int64_t thread,
                          std::int64_t at, bool is_start) {
  next() << fmt::format(R"({{"ph": "{}", "id": {}, "pid": {}, "tid": {}, "ts": {}, )"
                        R"("cat": "ac2g", "name": "ac2g"{}}})",
                        is_start ? 's' : 'f', id, process, thread, microseconds(at),
                        is_start ? "" : R"(, "bp": "e")");
}

void Writing::write_step() {
  ++operations_;
  std::int64_t end = kineto::nanoseconds(workload_.end);
  for (const WorkloadTask& task : rank_.tasks) end = std::max(end, kineto::nanoseconds(task.end));
  // All calls lie in it, those of no length at its end too.
  write_event(
      "user_annotation", "ProfilerStep#0", process_, thread_id(0), 0, end + 1,
      fmt::format(R"("External id": {0}, "Record function id": {0}, "Ev Idx": 0)", operations_));
}

std::int64_t Writing::write_operations(std::int32_t task, const std::string& arguments) {
  const auto& launch = plan_.launches[static_cast<std::size_t>(task)];
  const std::int64_t thread = thread_id(static_cast<std::size_t>(launch.thread));
  const auto operation = [&](std::string_view category, const std::string& name,
                             const std::string& more) {
    ++operations_;
    write_event(category, name, process_, thread, launch.start, launch.end,
                fmt::format(R"("External id": {0}, "Record function id": {0}, "Ev Idx": {1}{2})",
                            operations_, operations_ - 1, more));
    return operations_;
  };
  const Phase phase = info(task).phase;
  const bool is_backward =
      info(task).kind == SpanKind::compute && phase != Phase::forward && phase != Phase::update;
  std::int64_t asked =
      operation("cpu_op", info(task).name,
                is_backward ? fmt::format(R"(, "Sequence number": {}, "Fwd thread id": 1)", task)
                            : std::string{});
  if (arguments.empty()) return asked;
  asked = operation("cpu_op", "record_param_comms", ", " + arguments);
  operation("user_annotation", kineto::range_name(info(task), *peers(task)), "");
  return asked;
}

void Writing::write_work(std::int32_t task) {
  const auto& launch = plan_.launches[static_cast<std::size_t>(task)];
  const WorkloadTask& of = rank_.tasks[static_cast<std::size_t>(task)];
  const SpanInfo& what = info(task);
  const std::int64_t on = stream(what.lane);
  const std::string communication = kineto::communication_arguments(workload_, rank_, of, groups_);
  const std::int64_t asked = write_operations(task, communication);
  asked_by_.emplace(launch.correlation, asked);
  std::string arguments =
      fmt::format(R"("External id": {}, "device": {}, "context": 1, "stream": {}, )"
                  R"("correlation": {})",
                  asked, device, on, launch.correlation);
  const std::int64_t start = kineto::nanoseconds(of.start), end = kineto::nanoseconds(of.end);
  if (what.kind == SpanKind::copy) {
    const bool is_named = what.name.starts_with("Mem");
    const bool is_fill = what.name.starts_with("Memset");
    write_event(is_fill ? "gpu_memset" : "gpu_memcpy",
                is_named ? what.name : "Memcpy DtoD (Device -> Device)", device, on, start, end,
                fmt::format("{}, \"bytes\": {:.0f}", arguments, std::max(0.0, what.size.value)));
  } else {
    if (const int channels = kineto::channels_in(what.detail); channels > 0)
      arguments += fmt::format(", \"grid\": [{}, 1, 1]", channels);
    if (!communication.empty()) arguments += ", " + communication;
    write_event("kernel", kineto::kernel_name(what, peers(task)), device, on, start, end,
                arguments);
  }
  write_arrow(launch.correlation, device, on, start, false);
}

void Writing::write_synchronisation(const PlannedCall& call) {
  const RecordedWait& wait = call.wait;
  const auto stream_or_none = [&](std::int64_t lane) { return lane < 0 ? -1 : stream(lane); };
  const auto write = [&](const std::string& kind, const std::string& more) {
    write_event("cuda_sync", kind, device, stream_or_none(wait.stream), call.start, call.end,
                fmt::format(R"("cuda_sync_kind": "{}", {}"stream": {}, "correlation": {}, )"
                            R"("device": {}, "context": 1)",
                            kind, more, stream_or_none(wait.stream), call.correlation, device));
  };
  const std::string event =
      fmt::format(R"("wait_on_stream": {}, "wait_on_cuda_event_record_corr_id": {}, )"
                  R"("wait_on_cuda_event_id": {}, )",
                  stream_or_none(wait.recorded_on), wait.recorded_by, wait.recorded_by);
  switch (wait.kind) {
    case RecordedWait::Kind::device:
      return write("Context Sync", "");
    case RecordedWait::Kind::stream:
      return write("Stream Sync", "");
    case RecordedWait::Kind::event:
      return write("Event Sync", event);
    case RecordedWait::Kind::stream_waits_event:
      return write("Stream Wait Event", event);
  }
}

void Writing::write_call(std::int64_t thread, const PlannedCall& call) {
  const auto asked = asked_by_.find(call.correlation);
  const bool launches = asked != asked_by_.end();
  write_event("cuda_runtime", call.name, process_, thread, call.start, call.end,
              fmt::format(R"({}"correlation": {})",
                          launches ? fmt::format("\"External id\": {}, ", asked->second) : "",
                          call.correlation));
  if (launches) write_arrow(call.correlation, process_, thread, call.start, true);
  if (call.waits) write_synchronisation(call);
}

}  // namespace

KinetoWritten write_kineto(std::ostream& out, const Workload& workload, std::int32_t rank) {
  return Writing(out, workload, workload.ranks[static_cast<std::size_t>(rank)]).written();
}

}  // namespace quintet
