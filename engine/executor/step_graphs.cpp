#include "engine/executor/step_graphs.h"

namespace quintet::engine {

namespace {

bool communicates(const Program& program, const Script& script) {
  for (const Call& call : script.calls)
    for (const Instruction& instruction : program.bodies[call.body.index()].instructions)
      if (communicated(instruction) > Bytes{}) return true;
  return false;
}

}  // namespace

std::optional<std::string> why_not_captured(const CaptureQuestion& question) {
  if (question.model.dropout > 0 || question.model.attention_dropout > 0)
    return "dropout draws other numbers in every step";
  const Replicator& replicator = question.parallelism.replicator;
  if (replicator.every > 1) return "replicas do not exchange in every step";
  if (replicator.kind == ReplicatorKind::random || replicator.kind == ReplicatorKind::striding)
    return "the replicator takes other elements in every step";
  if (question.parallelism.samples.vary()) return "samples have other lengths in every step";
  if (communicates(question.program, question.script) && !question.backend.queues_all())
    return "messages go through the host";
  return std::nullopt;
}

}  // namespace quintet::engine
