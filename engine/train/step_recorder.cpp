#include "engine/train/step_recorder.h"

#include "sim/timeline/causality.h"
#include "sim/timeline/chrome_trace.h"

namespace quintet::engine {

namespace {

// The median of so many is told from chance, and they fit in memory.
constexpr std::size_t most_steps = 20;

// The host of every rank, where the machine was told.
void name_hosts(const TrainingInputs& inputs, Timeline& timeline) {
  if (inputs.seats.empty()) return;
  for (Track& track : timeline.tracks)
    track.host =
        inputs.topology.hosts[static_cast<std::size_t>(inputs.seats[track.rank.index()].host)].name;
}

}  // namespace

std::optional<Error> StepRecorder::begin() {
  return recording() ? clock_.measure() : std::nullopt;
}

void StepRecorder::record(int step, Clock::time_point origin, StepReport report) {
  if (!recording()) return;
  const Rank rank = clock_.mail().rank();
  steps_.push_back({step, origin, {rank, std::move(report.spans), std::move(report.cpu)}});
  if (steps_.size() > most_steps) steps_.pop_front();
}

std::vector<std::string> said_of(const Timeline& timeline, std::size_t steps,
                                 const std::filesystem::path& file) {
  std::vector<std::string> lines{"Timeline of the median of " + std::to_string(steps) +
                                 " steps: " + file.string() + " (open it in ui.perfetto.dev)"};
  if (const auto warning = causality_warning(timeline))
    lines.push_back("Doubt the timeline: " + *warning + ".");
  return lines;
}

Result<std::vector<std::string>> StepRecorder::finish() {
  if (!recording() || steps_.empty()) return std::vector<std::string>();
  // The first step makes what later ones find made.
  if (steps_.size() > 1 && steps_.front().step == 1) steps_.pop_front();
  const std::vector<MeasuredStep> steps(steps_.begin(), steps_.end());
  Result<std::optional<Timeline>> timeline =
      gather_timeline(clock_, inputs_.program, steps, inputs_.unobeyed);
  if (!timeline) return timeline.error();
  if (!*timeline) return std::vector<std::string>();
  name_hosts(inputs_, **timeline);
  const auto written = write_chrome_trace(options_.timeline, **timeline);
  if (!written) return written.error();
  return said_of(**timeline, steps.size(), options_.timeline);
}

}  // namespace quintet::engine
