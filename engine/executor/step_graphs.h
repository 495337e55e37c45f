// Whether a plan's step can be kept as a graph of the device and launched again: everything that it
// asks of the device must be the same in every step, and the host must not be asked for anything.
//
// Kept is the whole step, its update and its copies to and from the host's memory among it: what is
// another number in every step (the learning rate, the update's number, the loss scale) lies in
// memory (kernels/optimizer.h, UpdateNumbers). Only the end of a step in fp8, where maxima take
// another place in their history (engine/parameters/float8_maxima.h), is queued behind it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/communication/communication_backend.h"
#include "sim/model/model.h"
#include "sim/plan/parallelism.h"

namespace quintet::engine {

struct CaptureQuestion {
  const Program& program;
  const Script& script;
  const Model& model;
  const Parallelism& parallelism;
  const CommunicationBackend& backend;
};

// Why not, or nothing.
std::optional<std::string> why_not_captured(const CaptureQuestion& question);

// What of a step's input the queued work was told, besides what lies in memory.
struct StepKind {
  double targets = 0;
  std::vector<std::size_t> sizes;  // StepBatches::sizes()
  bool operator==(const StepKind&) const = default;
};

}  // namespace quintet::engine
