// What PipeMorph's runs took (arXiv 2504.19232; ../shared/validation/adaptra_*.csv): iterations on
// H800 and the operators of iterations on A10.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/parallelism/schedules/schedule.h"

namespace quintet::test {

std::filesystem::path adaptra_file(const std::string& name);

// What the logs call 1F1B, ZB, ZB-CPU (delegation), ZB-CPU-ReSchedule (delegation and adaptation).
enum class Method { one_f_one_b, zero_bubble, delegated, adapted };
std::string name_of(Method method);

struct AdaptraRun {
  std::string experiment, model, links;  // "6_7", "0_1,2_3"
  Method method = Method::one_f_one_b;
  std::vector<Seconds> delays;  // per link
  int delegates = 1;
  Seconds before, under;  // an iteration without the delay and with it
  // What the run's log says of its stages, and the warm-ups it was planned with; adapted runs only.
  std::vector<StageTimes> profile;
  std::vector<int> warm_ups;
};

// The 7B and 14B runs of single, several and ever slower links.
std::vector<AdaptraRun> adaptra_runs();
// Iterations of 7B or 14B when every message goes by delegates and nothing is slow.
Seconds delegated_without_delay(const std::string& model);

struct RecordedPass {
  PassKind kind = PassKind::forward;
  int first = 0, last = 0;  // micro-batches: the end of a step is logged as one for several W
  Seconds start, end;       // since the iteration began
  Seconds device;           // of the GPU, all of them
};

struct RecordedIteration {
  std::string config, phase;  // "fig15/ZB/2_3/0.02", "with_delay"
  Method method = Method::one_f_one_b;
  std::vector<Seconds> delays;
  std::vector<std::vector<RecordedPass>> stages;
};
std::vector<RecordedIteration> recorded_iterations();

}  // namespace quintet::test
