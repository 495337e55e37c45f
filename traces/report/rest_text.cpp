#include <fmt/format.h>

#include "sim/base/text_table.h"
#include "sim/explain/shown_times.h"
#include "traces/report/finding_text.h"

namespace quintet {

namespace {

class RestFindings {
 public:
  RestFindings(const RankTimes& rest, const Diagnosis& diagnosis, Duration least)
      : rest_(rest), diagnosis_(diagnosis), least_(least) {}

  std::vector<Finding> list() {
    for (std::size_t axis = 0; axis < axis_count; ++axis) add_axis(static_cast<Axis>(axis));
    add(FindingKind::pipeline_bubble, rest_.breakdown.bubble,
        "Stages of the pipeline wait for one another.",
        "More micro-batches a step, or an interleaved or zero-bubble schedule.");
    add(FindingKind::waiting, rest_.breakdown.waiting,
        "Ranks wait for each other in collectives, none of them for one rank in particular.",
        "See under \"who is waited for\", and whether anything else runs on these machines.");
    add(FindingKind::copies, rest_.breakdown.copy, "Copies keep the GPU from computing.",
        "Copy from pinned memory on a stream of its own, earlier, or not at all.");
    add(FindingKind::host_work, rest_.breakdown.host,
        "The CPU works, and nothing runs on the GPU meanwhile.",
        "Move that work to other threads or out of the step: loading data, logging, saving.");
    add(FindingKind::idle, rest_.unexplained,
        "Ranks do nothing, and the recording does not say what for.",
        "Record more: CPU threads beside GPU streams, and all ranks of the job.");
    return std::move(list_);
  }

 private:
  void add(FindingKind kind, Duration cost, const std::string& cause, const std::string& remedy) {
    if (cost < least_) return;
    list_.push_back({.kind = kind,
                     .cost = cost,
                     .cause = cause,
                     .evidence = fmt::format("{} a rank, {} of the step.", short_text(cost),
                                             percent_of(cost, diagnosis_.step)),
                     .remedy = remedy});
  }

  void add_axis(Axis axis) {
    const auto at = static_cast<std::size_t>(axis);
    const Duration cost = rest_.breakdown.exposed[at];
    if (cost < least_) return;
    const Duration total = rest_.breakdown.total_communication[at];
    Finding made{.kind = FindingKind::exposed_communication, .cost = cost};
    made.cause = fmt::format("Communication ({}) takes {} that no computing hides.", name_of(axis),
                             short_text(cost));
    made.evidence = fmt::format("Data moves for {} a rank, {} of it hidden{}.", short_text(total),
                                percent_of(total - cost, total), fastest_group());
    made.remedy =
        2 * (total - cost).picoseconds < total.picoseconds
            ? "Let it overlap with computing (buckets during backward, prefetching), or move fewer "
              "bytes: sharding, lower precision, larger batches; else the network is too slow."
            : "Most is hidden already: move fewer bytes (lower precision, larger batches) or use a "
              "faster network.";
    list_.push_back(std::move(made));
  }

  // Of the group whose data moves longest.
  std::string fastest_group() const {
    if (diagnosis_.collectives.empty()) return "";
    const GroupCollectives& group = diagnosis_.collectives.front();
    if (!(group.bus_bandwidth.value > 0)) return "";
    return fmt::format("; {}s of group {} reach {} bus bandwidth", name_of(group.kind),
                       diagnosis_.group_names[static_cast<std::size_t>(group.group)],
                       short_text(group.bus_bandwidth));
  }

  const RankTimes& rest_;
  const Diagnosis& diagnosis_;
  Duration least_;
  std::vector<Finding> list_;
};

}  // namespace

std::vector<Finding> findings_of_rest(const RankTimes& rest, const Diagnosis& diagnosis,
                                      Duration least) {
  return RestFindings(rest, diagnosis, least).list();
}

}  // namespace quintet
