#include "calibrate/probes/probe_run.h"

#include <algorithm>
#include <fstream>

#include "calibrate/machine/others_work.h"
#include "calibrate/probes/measured_run.h"
#include "calibrate/probes/predicted_step.h"
#include "calibrate/probes/step_margins.h"
#include "engine/train/training_inputs.h"
#include "sim/compile/step_program.h"
#include "sim/model/model_file.h"
#include "sim/plan/plan_file.h"
#include "sim/timeline/trace_reader.h"

namespace quintet::calibrate {
namespace {

namespace fs = std::filesystem;

std::optional<Error> write_text(const fs::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  if (!out.flush()) return Error{file.string(), "cannot be written"};
  return std::nullopt;
}

// Model and plan as files, where `quintet` finds them.
Result<TrainingRun> written(const Probe& probe, const ProbePlace& place) {
  const fs::path folder = place.folder / probe.name;
  std::error_code wrong;
  fs::create_directories(folder, wrong);
  if (wrong) return Error{folder.string(), wrong.message()};
  TrainingRun run;
  run.model = (folder / "config.json").string();
  run.plan = (folder / "plan.json").string();
  run.topology = place.topology_name;
  run.data = "the-valley";
  run.kernels = place.kernels;
  run.shaped = place.shaped;
  run.files = folder / "run";
  run.processor = place.processor;
  if (auto error = write_text(run.model, config_text(probe.model))) return *error;
  if (auto error = write_text(run.plan, plan_text(probe.plan))) return *error;
  return run;
}

// Once more where other programs took the cores, as they do for seconds now and then.
Result<MeasuredSteps> measured_undisturbed(const TrainingRun& run) {
  Result<MeasuredSteps> measured = measure_steps(run);
  for (int again = 0; again < 2 && measured && measured->others > disturbing_share; ++again)
    measured = measure_steps(run);
  return measured;
}

}  // namespace

Result<ProbeRecord> run_probe(const Probe& probe, const ProbeSteps& steps,
                              const ProbePlace& place) {
  const Result<Program> program = checked_step_program(probe.model, probe.plan, place.topology);
  if (!program) return program.error();
  Result<TrainingRun> run = written(probe, place);
  if (!run) return run.error();
  run->steps = steps.steps;
  run->warm_up = steps.warm_up;
  const Result<MeasuredSteps> measured = measured_undisturbed(*run);
  if (!measured) return measured.error();
  const fs::path file = timeline_file(*run);
  const Result<Timeline> timeline = read_timeline(file);
  if (!timeline) return timeline.error();
  OperatorSamples samples;
  const Program ran = step_program(probe.model, probe.plan, place.topology,
                                   engine::compile_options(place.processor));
  if (auto error = add_measured_run(*program, ran, *timeline, file.string(), samples))
    return *error;
  return ProbeRecord{probe.name, samples.times(), samples.staging(), median(*measured),
                     margins_of(*timeline, *measured)};
}

Result<std::vector<WholeStep>> whole_steps(const std::vector<ProbeRecord>& records,
                                           const std::vector<Candidate>& candidates,
                                           const std::string& costs, const ProbePlace& place) {
  std::vector<WholeStep> steps;
  for (const ProbeRecord& record : records) {
    const auto candidate =
        std::find_if(candidates.begin(), candidates.end(),
                     [&](const Candidate& each) { return each.probe.name == record.probe; });
    if (candidate == candidates.end()) continue;  // of a calibration of another range
    const Result<TrainingRun> run = written(candidate->probe, place);
    if (!run) return run.error();
    const Result<PredictedStep> predicted =
        predicted_step({run->model, run->plan, run->topology, costs, {}});
    if (!predicted) return predicted.error();
    steps.push_back({record.step, predicted->step, candidate->probe.form});
  }
  return steps;
}

}  // namespace quintet::calibrate
