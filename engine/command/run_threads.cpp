#include "engine/command/run_threads.h"

#include <fmt/format.h>

#include "engine/command/said_lines.h"
#include "engine/command/signals.h"
#include "engine/device/gpu_module.h"
#include "engine/train/thread_ranks.h"
#include "sim/usage/complain.h"

namespace quintet::engine {

namespace {

Result<std::shared_ptr<kernels::Device>> first_gpu() {
  auto opened = open_gpu(0);
  if (!opened) return opened.error();
  return std::shared_ptr<kernels::Device>(std::move(*opened));
}

}  // namespace

ExitCode run_in_threads(const TrainingInputs& inputs, const TrainingOptions& options) {
  listen_to_signals();
  const DeviceOpener open = options.processor == Processor::gpu ? first_gpu : DeviceOpener();
  const Result<TrainingEnd> end =
      train_in_threads(inputs, options, open, {is_asked_to_end, say_line});
  if (!end) {
    complain(end.error());
    return ExitCode::answer_is_no;
  }
  if (end->why == TrainingEnd::Why::done) return ExitCode::done;
  complain({"", fmt::format("interrupted after step {}", end->steps)});
  return ExitCode::answer_is_no;
}

}  // namespace quintet::engine
