#include "traces/workload/task_infos.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/workload/kernel_names.h"

namespace quintet {

SpanKind span_kind_of(const RankTrace& trace, const TraceEvent& event) {
  switch (event.kind) {
    case EventKind::kernel:
      if (!is_communication(trace, event)) return SpanKind::compute;
      switch (trace.communications[static_cast<std::size_t>(event.facts)].kind) {
        case CommunicationKind::send:
          return SpanKind::send;
        case CommunicationKind::receive:
          return SpanKind::receive;
        case CommunicationKind::all_reduce:
        case CommunicationKind::reduce_scatter:
        case CommunicationKind::all_gather:
        case CommunicationKind::broadcast:
        case CommunicationKind::reduce:
        case CommunicationKind::all_to_all:
        case CommunicationKind::gather:
        case CommunicationKind::scatter:
        case CommunicationKind::barrier:
        case CommunicationKind::send_and_receive:
        case CommunicationKind::unknown:
          return SpanKind::collective;
      }
      return SpanKind::collective;
    case EventKind::copy:
    case EventKind::fill:
      return SpanKind::copy;
    case EventKind::operation:
    case EventKind::launch:
    case EventKind::block:
    case EventKind::call:
    case EventKind::annotation:
    case EventKind::other:
      return SpanKind::host;
  }
  return SpanKind::host;
}

// Backward is what operations asked for whose forward another thread, or this one, did before.
void TaskInfos::begin(const RankTrace& trace, std::size_t number) {
  trace_ = &trace;
  number_ = number;
  backward_.clear();
  for (const TraceEvent& each : trace.events)
    if (each.kind == EventKind::operation && each.facts >= 0 && each.external >= 0 &&
        !is_communication(trace, each) &&
        trace.operations[static_cast<std::size_t>(each.facts)].forward_thread > 0)
      backward_.insert(each.external);
}

Phase TaskInfos::phase_of(const TraceEvent& event) const {
  return backward_.contains(event.external) ? Phase::backward : Phase::forward;
}

std::int32_t TaskInfos::of(const TraceEvent& event, std::int32_t lane) {
  const std::string& name = trace_->names[static_cast<std::size_t>(event.name)];
  SpanInfo info{.name = name, .kind = span_kind_of(*trace_, event), .lane = lane};
  if (event.kind == EventKind::kernel && is_communication(*trace_, event)) {
    const RecordedCommunication& of = trace_->communications[static_cast<std::size_t>(event.facts)];
    info.name = fmt::format("{} {}", name_of(of.kind), short_name(name));
    info.size = std::max(Bytes{}, of.size);
    info.detail = of.detail;
    const std::int32_t group = group_of(groups_, number_, of);
    if (group >= 0) info.axis = groups_.axes[static_cast<std::size_t>(group)];
  } else if (info.kind == SpanKind::copy && event.facts >= 0) {
    info.size = std::max(Bytes{}, trace_->copies[static_cast<std::size_t>(event.facts)].size);
  } else if (info.kind == SpanKind::compute) {
    info.work = kind_of_kernel(name);
    info.phase = info.work == OperatorKind::optimizer_update ? Phase::update : phase_of(event);
  }
  const auto [found, fresh] = known_.try_emplace(
      {info.name, info.kind, info.lane, info.size.value, info.phase, info.axis, info.detail},
      static_cast<std::int32_t>(all_.size()));
  if (fresh) all_.push_back(std::move(info));
  return found->second;
}

}  // namespace quintet
