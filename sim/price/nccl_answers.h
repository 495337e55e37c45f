// What NCCL chooses for collectives of many groups, and how long that was measured to take: asked
// once where it sees no difference between one group and the next.
#pragma once

#include <optional>

#include "sim/ccl/choice/tuner.h"
#include "sim/plan/plan.h"
#include "sim/price/measured_curves.h"
#include "sim/program/program.h"
#include "sim/topology/host_layout.h"

namespace quintet {

class NcclAnswers {
 public:
  // `plan` must outlive this.
  explicit NcclAnswers(const Plan& plan) : plan_(plan) {}

  // Groups of GPUs only. References must outlive the questions up to begin_pattern().
  struct Question {
    const Collective& collective;  // the same up to begin_pattern()
    Axis axis = Axis::data;        // likewise
    const HostLayout& layout;
    const CommunicatorShape& shape;
  };
  struct Answer {
    CollectiveRule rule;                // of the plan; empty where NCCL can do nothing of that
    std::optional<TunerChoice> choice;  // none: it has no such algorithm
    std::optional<Seconds> measured;
  };

  void begin_pattern() { told_.reset(); }

  // Valid until the next question. `curves`: those of the group's cost table.
  const Answer& of(const Question& asked, GpuCurves& curves);

 private:
  struct Told {
    Answer answer;
    const GpuCurves* curves = nullptr;  // null: it holds for one group only
    const CommunicatorShape* shape = nullptr;
    bool uniform = false;
  };
  bool holds_for(const Question& asked, const GpuCurves& curves) const;
  Answer chosen(const Question& asked) const;

  const Plan& plan_;
  std::optional<Told> told_;
};

}  // namespace quintet
