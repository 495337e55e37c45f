// A stage's passes where only the times of whole stages are known (WorkSource::stage_profiles): one
// kernel each.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "sim/parallelism/program_builder.h"
#include "sim/parallelism/script_builder.h"
#include "sim/parallelism/stage_exchange.h"
#include "sim/parallelism/stage_layers.h"
#include "sim/parallelism/stage_messages.h"

namespace quintet {

class ProfiledPasses {
 public:
  // References must outlive this.
  ProfiledPasses(DataType compute_type, int stage, const std::vector<Chunk>& chunks,
                 ProgramBuilder& builder, ScriptBuilder& script, StageMessages& messages,
                 StageExchange& exchange)
      : compute_type_(compute_type),
        stage_(stage),
        chunks_(chunks),
        builder_(builder),
        script_(script),
        messages_(messages),
        exchange_(exchange) {}

  void run(const Pass& pass);

 private:
  const Chunk& chunk(const Pass& pass) const {
    return chunks_[static_cast<std::size_t>(pass.chunk)];
  }
  Calls& forward_done(const Pass& pass) { return forward_done_[{pass.micro_batch, pass.chunk}]; }
  Calls kernel(const Pass& pass, Phase phase, const char* name, Calls after);
  void forward(const Pass& pass);
  void backward(const Pass& pass, Phase phase, const char* name);
  void weight_gradient(const Pass& pass);
  void exchange(const Pass& pass, const Calls& done);

  const DataType compute_type_;
  const int stage_;
  const std::vector<Chunk>& chunks_;
  ProgramBuilder& builder_;
  ScriptBuilder& script_;
  StageMessages& messages_;
  StageExchange& exchange_;
  std::map<std::pair<int, int>, Calls> forward_done_;  // by micro-batch and chunk
};

}  // namespace quintet
