#include "traces/trace/rank_trace.h"

#include <algorithm>

namespace quintet {

std::string_view name_of(EventKind kind) {
  switch (kind) {
    case EventKind::kernel:
      return "kernel";
    case EventKind::copy:
      return "copy";
    case EventKind::fill:
      return "fill";
    case EventKind::operation:
      return "operation";
    case EventKind::launch:
      return "launch";
    case EventKind::block:
      return "block";
    case EventKind::call:
      return "call";
    case EventKind::annotation:
      return "annotation";
    case EventKind::other:
      return "other";
  }
  return {};
}

std::string_view name_of(CommunicationKind kind) {
  switch (kind) {
    case CommunicationKind::all_reduce:
      return "all_reduce";
    case CommunicationKind::reduce_scatter:
      return "reduce_scatter";
    case CommunicationKind::all_gather:
      return "all_gather";
    case CommunicationKind::broadcast:
      return "broadcast";
    case CommunicationKind::reduce:
      return "reduce";
    case CommunicationKind::all_to_all:
      return "all_to_all";
    case CommunicationKind::gather:
      return "gather";
    case CommunicationKind::scatter:
      return "scatter";
    case CommunicationKind::barrier:
      return "barrier";
    case CommunicationKind::send:
      return "send";
    case CommunicationKind::receive:
      return "receive";
    case CommunicationKind::send_and_receive:
      return "send and receive";
    case CommunicationKind::unknown:
      return "unknown communication";
  }
  return {};
}

std::optional<CollectiveKind> collective_of(CommunicationKind kind) {
  switch (kind) {
    case CommunicationKind::all_reduce:
    case CommunicationKind::barrier:  // as an all-reduce of one element, which NCCL makes of it
      return CollectiveKind::all_reduce;
    case CommunicationKind::reduce_scatter:
      return CollectiveKind::reduce_scatter;
    case CommunicationKind::all_gather:
      return CollectiveKind::all_gather;
    case CommunicationKind::broadcast:
    case CommunicationKind::scatter:
      return CollectiveKind::broadcast;
    case CommunicationKind::reduce:
    case CommunicationKind::gather:
      return CollectiveKind::reduce;
    case CommunicationKind::all_to_all:
      return CollectiveKind::all_to_all;
    case CommunicationKind::send:
    case CommunicationKind::receive:
    case CommunicationKind::send_and_receive:
    case CommunicationKind::unknown:
      return std::nullopt;
  }
  return std::nullopt;
}

bool is_communication(const RankTrace& trace, const TraceEvent& event) {
  if (event.facts < 0) return false;
  if (event.kind == EventKind::kernel) return true;
  return event.kind == EventKind::operation &&
         trace.names[static_cast<std::size_t>(event.name)] == "record_param_comms";
}

void put_in_order(RankTrace& trace) {
  std::stable_sort(trace.events.begin(), trace.events.end(),
                   [](const TraceEvent& left, const TraceEvent& right) {
                     if (left.row != right.row) return left.row < right.row;
                     if (left.start != right.start) return left.start < right.start;
                     return left.time > right.time;
                   });
}

}  // namespace quintet
