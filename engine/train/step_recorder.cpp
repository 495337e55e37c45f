#include "engine/train/step_recorder.h"

#include <fmt/format.h>

#include "engine/nccl/plugins/profiled_spans.h"
#include "engine/network/transport/transport.h"
#include "engine/peers/peers.h"
#include "sim/explain/causality.h"
#include "sim/explain/recording_text.h"
#include "sim/timeline/causes_of_spans.h"
#include "sim/timeline/chrome_trace/chrome_trace.h"

namespace quintet::engine {

namespace {

// The median of so many is told from chance, and they fit in memory.
constexpr std::size_t most_steps = 20;

constexpr std::uint64_t recording_label = label_in(LabelSpace::training, 2);
// As it lies.
struct PlainCounts {
  std::int64_t cost = 0, pieces = 0, in_spans = 0, lost = 0;  // cost: picoseconds
};

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

void StepRecorder::follow(const Program& program) {
  program_ = &program;
  steps_.clear();
}

void StepRecorder::record(int step, Clock::time_point origin, Duration processors,
                          StepReport report) {
  if (!recording()) return;
  const Rank rank = clock_.peers().rank();
  steps_.push_back(
      {step,
       origin,
       {rank, std::move(report.spans), std::move(report.cpu), std::move(report.notes)},
       processors});
  if (steps_.size() > most_steps) steps_.pop_front();
}

std::vector<std::string> said_of(const Timeline& timeline, std::size_t steps,
                                 const std::filesystem::path& file) {
  std::vector<std::string> lines{fmt::format(
      "Timeline of the median of {} steps: {} (open it in ui.perfetto.dev)", steps, file.string())};
  if (const auto warning = causality_warning(timeline))
    lines.push_back("Doubt the timeline: " + *warning + ".");
  return lines;
}

// The last operations of a run may not be in the profile yet; its timeline does without them.
std::vector<std::string> StepRecorder::note_nccl(const End& end) {
  std::error_code wrong;
  if (end.nccl_profile.empty() || !std::filesystem::exists(end.nccl_profile, wrong)) return {};
  const auto operations = read_profile(end.nccl_profile);
  if (!operations) return {"Without what NCCL's profiler saw: " + operations.error().text() + "."};
  Noted all;
  for (MeasuredStep& step : steps_) {
    const StepPlace place{step.step - end.run.first, end.run.last - end.run.first + 1};
    const Noted noted = note_operations(*program_, *operations, place, step.spans);
    all.spans += noted.spans;
    all.unmatched += noted.unmatched;
  }
  if (all.unmatched == 0) return {};
  return {fmt::format(
      "NCCL's profile tells of {} spans of rank 0, and not of {} more that NCCL carried.",
      all.spans, all.unmatched)};
}

Result<std::optional<Recording>> whole_recording(Peers& peers,
                                                 const std::optional<Recording>& mine) {
  const Recording own = mine.value_or(Recording());
  const auto all = exchanged(peers, recording_label,
                             PlainCounts{own.cost.picoseconds, own.pieces, own.in_spans, own.lost});
  if (!all) return all.error();
  if (!mine) return mine;
  Recording whole = own;
  whole.cost = {};
  whole.pieces = whole.in_spans = whole.lost = 0;
  for (const PlainCounts& each : *all) {
    whole.cost = whole.cost + Duration{each.cost};
    whole.pieces += each.pieces;
    whole.in_spans += each.in_spans;
    whole.lost += each.lost;
  }
  return std::optional(whole);
}

Result<std::vector<std::string>> StepRecorder::finish(const End& end) {
  if (!recording() || steps_.empty()) return std::vector<std::string>();
  // The first step makes what later ones find made.
  if (steps_.size() > 1 && steps_.front().step == 1) steps_.pop_front();
  const std::vector<std::string> of_nccl = note_nccl(end);
  const std::vector<MeasuredStep> steps(steps_.begin(), steps_.end());
  Result<std::optional<Timeline>> timeline =
      gather_timeline(clock_, *program_, steps, inputs_.deviations);
  if (!timeline) return timeline.error();
  if (!*timeline) return std::vector<std::string>();
  name_hosts(inputs_, **timeline);
  (*timeline)->measurement->recording = end.recording;
  **timeline = with_causes(std::move(**timeline), *program_);
  const auto written = write_chrome_trace(options_.timeline, **timeline);
  if (!written) return written.error();
  std::vector<std::string> lines = said_of(**timeline, steps.size(), options_.timeline);
  if (end.recording)
    for (std::string& line : recording_lines(*end.recording)) lines.push_back(std::move(line));
  lines.insert(lines.end(), of_nccl.begin(), of_nccl.end());
  return lines;
}

}  // namespace quintet::engine
