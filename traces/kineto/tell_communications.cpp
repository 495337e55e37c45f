#include <algorithm>
#include <map>
#include <tuple>

#include "traces/kineto/link_events.h"

namespace quintet::kineto {
namespace {

using Kind = CommunicationKind;

// A kernel's name says what NCCL runs, which may be a part of what was asked for.
bool may_be(Kind kernel, Kind asked) {
  switch (kernel) {
    case Kind::unknown:
    case Kind::send_and_receive:
      return true;
    case Kind::all_reduce:
    case Kind::reduce_scatter:
    case Kind::all_gather:
    case Kind::broadcast:
    case Kind::reduce:
    case Kind::all_to_all:
    case Kind::gather:
    case Kind::scatter:
    case Kind::barrier:
    case Kind::send:
    case Kind::receive:
      return kernel == asked || asked == Kind::barrier;
  }
  return false;
}

void tell(RecordedCommunication& kernel, const RecordedCommunication& asked) {
  if (!may_be(kernel.kind, asked.kind)) return;
  std::string detail = kernel.detail;
  if (!asked.detail.empty()) detail += (detail.empty() ? "" : ", ") + asked.detail;
  kernel = asked;
  kernel.detail = std::move(detail);
}

class Ranges {
 public:
  explicit Ranges(std::vector<NamedRange>& ranges) : ranges_(ranges) {
    std::sort(ranges_.begin(), ranges_.end(), before);
    for (NamedRange& range : ranges_) {
      const std::int64_t elements = pytorch::full_buffer(range.facts.kind, range.facts.elements_in,
                                                         range.facts.elements_out, 0);
      if (elements >= 0 && range.element_bytes > 0)
        range.facts.size = Bytes{static_cast<double>(elements) * range.element_bytes};
    }
  }
  // The last that began before, if it has not ended.
  const NamedRange* around(std::int32_t row, std::int64_t instant) const {
    const auto after = std::upper_bound(ranges_.begin(), ranges_.end(),
                                        NamedRange{row, instant, 0, {}, 0}, before);
    if (after == ranges_.begin()) return nullptr;
    const NamedRange& found = *(after - 1);
    return found.row == row && found.end >= instant ? &found : nullptr;
  }
  const NamedRange* within(const TraceEvent& event) const {
    const auto first = std::lower_bound(ranges_.begin(), ranges_.end(),
                                        NamedRange{event.row, event.start, 0, {}, 0}, before);
    const bool found =
        first != ranges_.end() && first->row == event.row && first->end <= event.end();
    return found ? &*first : nullptr;
  }

 private:
  static bool before(const NamedRange& left, const NamedRange& right) {
    return std::tuple(left.row, left.start) < std::tuple(right.row, right.start);
  }
  std::vector<NamedRange>& ranges_;
};

// By their "External id", operations that tell what they communicate.
std::map<std::int64_t, std::int32_t> telling_operations(const TraceParts& parts) {
  std::map<std::int64_t, std::int32_t> facts;
  const std::int32_t name = parts.names.find("record_param_comms");
  for (const TraceEvent& event : parts.trace.events)
    if (event.kind == EventKind::operation && event.name == name && event.facts >= 0 &&
        event.external >= 0)
      facts.emplace(event.external, event.facts);
  return facts;
}

}  // namespace

void tell_communications(TraceParts& parts, const std::vector<std::int32_t>& launches) {
  if (parts.silent_kernels.empty() && parts.silent_operations.empty()) return;
  std::vector<TraceEvent>& events = parts.trace.events;
  std::vector<RecordedCommunication>& communications = parts.trace.communications;
  const Ranges ranges(parts.ranges);
  for (const std::int32_t index : parts.silent_operations) {
    TraceEvent& operation = events[static_cast<std::size_t>(index)];
    const NamedRange* range = ranges.within(operation);
    if (range == nullptr) continue;
    operation.facts = static_cast<std::int32_t>(communications.size());
    communications.push_back(range->facts);
  }
  const auto operations = telling_operations(parts);
  for (std::size_t i = 0; i < parts.silent_kernels.size(); ++i) {
    const TraceEvent& kernel = events[static_cast<std::size_t>(parts.silent_kernels[i])];
    RecordedCommunication& facts = communications[static_cast<std::size_t>(kernel.facts)];
    if (const auto found = operations.find(kernel.external); found != operations.end()) {
      const RecordedCommunication asked = communications[static_cast<std::size_t>(found->second)];
      tell(facts, asked);
    } else if (launches[i] >= 0) {
      const TraceEvent& launch = events[static_cast<std::size_t>(launches[i])];
      if (const NamedRange* range = ranges.around(launch.row, launch.start))
        tell(facts, range->facts);
    }
  }
}

}  // namespace quintet::kineto
