#include "traces/perfetto/by_process.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

namespace quintet::perfetto_trace {
namespace {

bool on_stream(const TraceEvent& event) {
  return event.kind == EventKind::kernel || event.kind == EventKind::copy ||
         event.kind == EventKind::fill;
}

// What has no process is this.
constexpr std::int64_t nobody = -1;

class Splitter {
 public:
  Splitter(TraceDraft& all, Slices& slices, const Tracks& tracks)
      : all_(all), slices_(slices), tracks_(tracks) {
    for (std::size_t i = 0; i < tracks_.size(); ++i)
      owners_.push_back(tracks_.process_of(static_cast<std::int32_t>(i)).value_or(nobody));
    std::set<std::int64_t> known;
    for (const Slice& slice : slices_.all())
      if (slice.ended) known.insert(owner(slice));
    known.erase(nobody);
    if (known.size() == 1) std::replace(owners_.begin(), owners_.end(), nobody, *known.begin());
    streams_.resize(tracks_.size());
    for (const Slice& slice : slices_.all())
      if (on_stream(slice.event)) streams_[static_cast<std::size_t>(slice.track)] = true;
  }

  std::vector<RankTrace> traces() {
    link_flows();
    mark_launches();
    std::map<std::int64_t, TraceDraft> drafts;
    for (const Slice& slice : slices_.all())
      if (slice.ended)
        put(slice,
            drafts.try_emplace(owner(slice), TraceDraft(all_.trace().file, all_.trace().format))
                .first->second);
    RankTrace rest = all_.finish();
    std::vector<RankTrace> traces;
    for (auto& [process, draft] : drafts) {
      draft.trace().zero_nanoseconds = rest.zero_nanoseconds;
      draft.trace().rank = rank_of(process);
      traces.push_back(draft.finish());
    }
    if (!traces.empty()) traces.front().left_out = std::move(rest.left_out);
    return traces;
  }

 private:
  std::int64_t owner(const Slice& slice) const {
    return owners_[static_cast<std::size_t>(slice.track)];
  }
  bool is_stream(const Slice& slice) const {
    return streams_[static_cast<std::size_t>(slice.track)] || tracks_.is_stream(slice.track);
  }

  int rank_of(std::int64_t process) const {
    const auto rank = number_behind(tracks_.process_name(process), "rank ");
    return rank && *rank >= 0 && *rank < 1 << 30 ? static_cast<int>(*rank) : -1;
  }

  // A flow from a thread's slice to a stream's says who launched it, where nothing else does.
  void link_flows() {
    std::int64_t next = 0;
    for (const Slice& slice : slices_.all()) next = std::max(next, slice.event.correlation);
    std::vector<Flow>& flows = slices_.flows();
    std::stable_sort(flows.begin(), flows.end(),
                     [](const Flow& left, const Flow& right) { return left.id < right.id; });
    for (std::size_t i = 0; i + 1 < flows.size(); ++i) {
      if (flows[i].id != flows[i + 1].id) continue;
      Slice& from = slice_of(flows[i]);
      Slice& to = slice_of(flows[i + 1]);
      const bool links = !is_stream(from) && is_stream(to) && owner(from) == owner(to) &&
                         from.event.correlation < 0 && to.event.correlation < 0;
      if (links && next < std::int64_t{1} << 62)
        from.event.correlation = to.event.correlation = ++next;
    }
  }
  Slice& slice_of(const Flow& flow) { return slices_.all()[static_cast<std::size_t>(flow.slice)]; }

  void mark_launches() {
    std::map<std::int64_t, std::unordered_set<std::int64_t>> launched;  // by process
    for (const Slice& slice : slices_.all())
      if (on_stream(slice.event) && slice.event.correlation >= 0)
        launched[owner(slice)].insert(slice.event.correlation);
    for (Slice& slice : slices_.all()) {
      const bool may = slice.event.kind == EventKind::call || slice.event.kind == EventKind::other;
      if (may && slice.event.facts < 0 && !is_stream(slice) &&
          launched[owner(slice)].count(slice.event.correlation) > 0)
        slice.event.kind = EventKind::launch;
    }
  }

  std::string_view name_at(std::int32_t name) const {
    return all_.trace().names[static_cast<std::size_t>(name)];
  }

  void put(const Slice& slice, TraceDraft& draft) const {
    TraceEvent event = slice.event;
    RecordedRow row = tracks_.row_of(slice.track);
    if (is_stream(slice) && row.kind == RecordedRow::Kind::thread)
      row.kind = RecordedRow::Kind::stream, row.device = 0;
    event.row = draft.row(row);
    put_facts(event, draft);
    event.name = draft.name(name_at(event.name));
    draft.trace().events.push_back(event);
  }

  void put_facts(TraceEvent& event, TraceDraft& draft) const {
    if (event.facts < 0) return;
    const RankTrace& from = all_.trace();
    const auto at = static_cast<std::size_t>(event.facts);
    if (is_communication(from, event)) return put_communication(event, draft);
    switch (event.kind) {
      case EventKind::copy:
      case EventKind::fill:
        event.facts = draft.facts(from.copies[at]);
        return;
      case EventKind::block:
      case EventKind::call:
        event.facts = draft.facts(from.waits[at]);
        return;
      case EventKind::operation: {
        RecordedOperation facts = from.operations[at];
        if (facts.shapes >= 0) facts.shapes = draft.name(name_at(facts.shapes));
        if (facts.types >= 0) facts.types = draft.name(name_at(facts.types));
        event.facts = draft.facts(facts);
        return;
      }
      case EventKind::kernel:
      case EventKind::launch:
      case EventKind::annotation:
      case EventKind::other:
        event.facts = -1;
        return;
    }
  }

  void put_communication(TraceEvent& event, TraceDraft& draft) const {
    const RankTrace& from = all_.trace();
    RecordedCommunication facts = from.communications[static_cast<std::size_t>(event.facts)];
    if (facts.group >= 0) {
      const ProcessGroup& group = from.groups[static_cast<std::size_t>(facts.group)];
      facts.group = draft.group(group.name);
      draft.trace().groups[static_cast<std::size_t>(facts.group)] = group;
    }
    event.facts = draft.facts(std::move(facts));
  }

  TraceDraft& all_;
  Slices& slices_;
  const Tracks& tracks_;
  std::vector<std::int64_t> owners_;  // by track
  std::vector<bool> streams_;         // by track: something ran on it that runs on streams only
};

}  // namespace

std::vector<RankTrace> by_process(TraceDraft& all, Slices& slices, const Tracks& tracks) {
  return Splitter(all, slices, tracks).traces();
}

}  // namespace quintet::perfetto_trace
