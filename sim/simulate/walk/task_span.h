// What a timeline says of a task that is done.
#pragma once

#include "sim/program/program.h"
#include "sim/program/tasks.h"
#include "sim/simulate/walk/matching.h"
#include "sim/timeline/timeline.h"

namespace quintet {

struct MovedUntil {
  Instant moving;  // from when it did what it is for; before that it waited
  Instant end;
};

inline Span span_of(const Waiting& self, const Task& task, const Call& call,
                    const MovedUntil& times) {
  Span span;
  span.info = task.instruction;
  span.track = self.actor;
  span.start = self.since;
  span.moving = times.moving;
  span.end = times.end;
  span.layer = task.layer;
  span.micro_batch = call.micro_batch;
  span.chunk = static_cast<std::int16_t>(call.chunk);
  span.bucket = static_cast<std::int16_t>(call.bucket);
  span.flow = self.flow;
  return span;
}

}  // namespace quintet
