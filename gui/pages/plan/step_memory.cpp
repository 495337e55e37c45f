#include "gui/pages/plan/step_memory.h"

namespace quintet::gui {

void StepMemory::add(const Outcome& outcome) {
  if (!outcome.predicted()) return;
  const Prediction& prediction = outcome.prediction();
  if (now_ && now_->scenario != outcome.scenario) before_ = std::move(now_);
  now_ = StepFigures{outcome.scenario, prediction.mean, fullest_of_stages(prediction.memory),
                     prediction.memory.capacity};
}

void StepMemory::forget() {
  now_.reset();
  before_.reset();
}

std::vector<RowDifference> StepMemory::rows() const {
  if (!now_) return {};
  return row_differences(before_ ? before_->mean : now_->mean, now_->mean);
}

}  // namespace quintet::gui
