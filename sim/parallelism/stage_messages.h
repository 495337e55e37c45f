// What one stage sends to its neighbours and receives from them.
#pragma once

#include "sim/model/layer_operators.h"
#include "sim/model/model.h"
#include "sim/parallelism/compile.h"
#include "sim/parallelism/program_builder.h"
#include "sim/parallelism/script_builder.h"
#include "sim/plan/parallelism.h"

namespace quintet {

class StageMessages {
 public:
  // References must outlive this.
  StageMessages(const Model& model, const LayerWork& work, const Plan& plan,
                const CompileOptions& options, int stage, ProgramBuilder& builder,
                ScriptBuilder& script)
      : size_(stage_boundary_bytes(model, work)),
        pipeline_(plan.parallelism.pipeline),
        delegates_(message_delegates(plan)),
        offload_(plan.parallelism.offload),
        synchronises_(options.synchronises_after_receive),
        waits_(options.waits_for_sends),
        stage_(stage),
        builder_(builder),
        script_(script) {}

  // What a pass waits for to have the message.
  Calls receive(const Pass& pass, Payload payload);
  void send(const Pass& pass, Payload payload, Calls after);

 private:
  // Micro-batch m is sent and received by delegate m mod D.
  LaneId lane(LaneUse use, const Pass& pass) const {
    return message_lane(use, offload_, pass.micro_batch % delegates_);
  }

  const Bytes size_;
  const int pipeline_;
  const int delegates_;
  const Offload offload_;
  const bool synchronises_, waits_;
  const int stage_;
  ProgramBuilder& builder_;
  ScriptBuilder& script_;
};

}  // namespace quintet
