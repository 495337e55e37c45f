#include "sim/command/jobs/jobs_trace.h"

#include <algorithm>

namespace quintet {

namespace {

class Joined {
 public:
  Joined(const JobsOnMachine& machine) : machine_(machine), slots_(rank_slots(machine.topology)) {}

  void add(const Job& job, const JobDecision& decision, const std::vector<Timeline>& steps) {
    if (steps.empty()) return;
    const Timeline& first = steps.front();
    const auto infos = static_cast<std::int32_t>(all_.infos.size());
    for (SpanInfo info : first.infos) {
      info.lane = lane(first.lanes[static_cast<std::size_t>(info.lane)]);
      all_.infos.push_back(std::move(info));
    }
    for (std::size_t track = 0; track < first.tracks.size(); ++track) {
      add_track(job, decision, first.tracks[track]);
      for (std::size_t step = 0; step < steps.size(); ++step)
        add_spans(steps[step], static_cast<std::int32_t>(track), infos,
                  flows_ + static_cast<std::int32_t>(step) * most_flows);
    }
    flows_ += static_cast<std::int32_t>(steps.size()) * most_flows;
  }

  Timeline timeline() && { return std::move(all_); }

 private:
  static constexpr std::int32_t most_flows = 1 << 20;  // of a step

  int lane(const std::string& name) {
    const auto known = std::find(all_.lanes.begin(), all_.lanes.end(), name);
    const auto place = static_cast<int>(known - all_.lanes.begin());
    if (known == all_.lanes.end()) all_.lanes.push_back(name);
    return place;
  }

  void add_track(const Job& job, const JobDecision& decision, const Track& of_step) {
    Track track = of_step;
    const int slot = placed_plan(job, decision).intra_inter.placement[of_step.rank.index()];
    track.role = job.entry.name + (of_step.role.empty() ? "" : ", " + of_step.role);
    const Device& device = machine_.topology.device(slots_[static_cast<std::size_t>(slot)]);
    track.host = machine_.topology.host(device.host).name;
    track.rank = Rank{slot};
    all_.tracks.push_back(std::move(track));
  }

  void add_spans(const Timeline& step, std::int32_t track, std::int32_t infos, std::int32_t flows) {
    const auto into = static_cast<std::int32_t>(all_.tracks.size()) - 1;
    for (Span span : step.spans) {
      if (span.track != track) continue;
      span.track = into;
      span.info += infos;
      if (span.flow >= 0) span.flow += flows;
      all_.spans.push_back(span);
    }
    for (HostGap gap : step.host_gaps) {
      if (gap.track != track) continue;
      gap.track = into;
      all_.host_gaps.push_back(gap);
    }
    all_.end = std::max(all_.end, step.end);
  }

  const JobsOnMachine& machine_;
  std::vector<DeviceId> slots_;
  Timeline all_;
  std::int32_t flows_ = 0;
};

}  // namespace

Timeline joint_timeline(const JobsOnMachine& machine, const JobDecisions& decisions,
                        const JointOutcome& outcome) {
  Joined joined(machine);
  for (std::size_t job = 0; job < decisions.size(); ++job)
    joined.add(machine.jobs[job], decisions[job], outcome.jobs[job].timelines);
  return std::move(joined).timeline();
}

}  // namespace quintet
