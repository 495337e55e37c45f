// Toys split over ranks.
#pragma once

#include <ostream>
#include <string>

#include "tests/support/toy_steps.h"

namespace quintet::engine::test {

// A layout by its numbers; 8 sequences a step.
struct Layout {
  std::string name;
  int tensor = 1, pipeline = 1, data = 1;
  Sharding sharding = Sharding::none;
  int sharding_group = 0;
  bool sequence_parallel = false;
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  int vocabulary_multiple = 1;
  double bucket = 0;
  DataType type = DataType::fp32;
};

// For messages of failed tests.
inline void PrintTo(const Layout& layout, std::ostream* out) {
  *out << layout.name;
}

inline Toy laid_out(Toy made, const Layout& layout) {
  Parallelism& parallelism = made.plan.parallelism;
  parallelism.tensor = layout.tensor;
  parallelism.pipeline = layout.pipeline;
  parallelism.data = layout.data;
  parallelism.micro_batches = toy_sequences / layout.data;
  parallelism.sharding = layout.sharding;
  parallelism.sharding_group = layout.sharding_group;
  parallelism.sequence_parallel = layout.sequence_parallel;
  parallelism.schedule = layout.schedule;
  if (layout.schedule == PipelineSchedule::interleaved)
    parallelism.virtual_stages = made.model.layers / layout.pipeline;
  parallelism.compute_type = layout.type;
  made.vocabulary_multiple = layout.vocabulary_multiple;
  if (layout.bucket > 0) made.plan.ccl.bucket = Bytes{layout.bucket};
  return made;
}

inline Toy toy_in(const Model& model, const Layout& layout) {
  return laid_out(toy(model), layout);
}

}  // namespace quintet::engine::test
