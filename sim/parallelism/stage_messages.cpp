#include "sim/parallelism/stage_messages.h"

#include <utility>

namespace quintet {

Calls StageMessages::receive(const Pass& pass, Payload payload) {
  const bool forward = payload == Payload::activation;
  const char* const name = forward ? "receive activation" : "receive gradient";
  BodyBuilder body(name);
  body.communicate(lane(forward ? LaneUse::receive_forward : LaneUse::receive_backward, pass), name,
                   Receive{Axis::pipeline, forward ? -1 : 1, size_, payload, pass.chunk}, {});
  if (synchronises_) body.communicate(LaneUse::compute, "synchronise", HostWork{}, {0});
  return {script_.call(builder_.add(std::move(body).body()), {}, {.pass = &pass})};
}

// The receiver's virtual stage differs when the message wraps round the pipeline.
void StageMessages::send(const Pass& pass, Payload payload, Calls after) {
  const bool forward = payload == Payload::activation;
  const bool wraps = forward ? stage_ == pipeline_ - 1 : stage_ == 0;
  const int chunk = pass.chunk + (wraps ? (forward ? 1 : -1) : 0);
  const char* const name = forward ? "send activation" : "send gradient";
  BodyBuilder body(name);
  body.communicate(lane(forward ? LaneUse::send_forward : LaneUse::send_backward, pass), name,
                   Send{Axis::pipeline, forward ? 1 : -1, size_, payload, chunk}, {});
  if (waits_) body.communicate(LaneUse::compute, "wait for send", HostWork{}, {0});
  script_.call(builder_.add(std::move(body).body()), std::move(after), {.pass = &pass});
}

}  // namespace quintet
