// Many layouts of small models, none with problems: a sample of the product of all that can be
// chosen.
#pragma once

#include <string>
#include <vector>

#include "sim/plan/plan.h"
#include "tests/support/shipped.h"

namespace quintet::test {

struct Layout {
  Model model;
  Plan plan;
};

// Vocabularies are rounded so that four tensor ranks divide them: padding would add FLOPs.
inline std::vector<Model> layout_models() {
  Model llama = shipped_model("llama-3-8b"), gpt = shipped_model("gpt2"),
        bert = shipped_model("bert-large");
  llama.layers = gpt.layers = bert.layers = 8;
  gpt.vocabulary = 50'304;
  bert.vocabulary = 30'528;
  return {llama, gpt, bert};
}

inline std::string text_of(const Layout& layout) {
  const Parallelism& p = layout.plan.parallelism;
  return layout.model.name + " t" + std::to_string(p.tensor) + " d" + std::to_string(p.data) +
         " p" + std::to_string(p.pipeline) + (p.sequence_parallel ? " sp" : "") + " " +
         std::string(name_of(p.schedule)) + (p.split_backward ? " split" : "") + " sharding " +
         std::string(name_of(p.sharding)) + "/" + std::to_string(p.sharding_group) + " recompute " +
         std::string(name_of(p.recompute)) + " " + std::string(name_of(p.attention)) + " bucket " +
         std::to_string(layout.plan.ccl.bucket.value);
}

// Sharding 4 stands for parameters in groups of two (hybrid).
inline Plan layout_plan(int tensor, int data, int pipeline, int schedule, int sharding) {
  Plan plan;
  Parallelism& p = plan.parallelism;
  p.tensor = tensor;
  p.data = data;
  p.pipeline = pipeline;
  p.sequence_length = 256;
  p.micro_batches = 8;
  p.sharding = static_cast<Sharding>(std::min(sharding, 3));
  p.sharding_group = sharding == 4 ? data / 2 : 0;
  p.schedule = static_cast<PipelineSchedule>(schedule % 6);
  p.split_backward = schedule == 6;
  if (p.schedule == PipelineSchedule::interleaved) p.virtual_stages = 2;
  if (p.schedule == PipelineSchedule::warm_up)
    for (int stage = 0; stage < pipeline; ++stage) p.warm_ups.push_back(2 * (pipeline - stage) - 1);
  return plan;
}

inline std::vector<Layout> layouts() {
  const std::vector<Model> models = layout_models();
  const std::vector<Bytes> buckets{Bytes{}, Bytes{25e6}, Bytes{300e6}};
  std::vector<Layout> found;
  unsigned number = 0;
  for (const int tensor : {1, 2, 4})
    for (const int data : {1, 2, 4})
      for (const int pipeline : {1, 2, 4})
        for (int schedule = 0; schedule < 7; ++schedule)
          for (int sharding = 0; sharding < (data > 1 ? 5 : 1); ++sharding)
            for (int option = 0; option < 3; ++option) {
              const bool interleaved = schedule == 2;
              if ((interleaved && pipeline == 1) || (sharding == 4 && data < 4)) continue;
              Layout layout{models[number % 3],
                            layout_plan(tensor, data, pipeline, schedule, sharding)};
              Parallelism& p = layout.plan.parallelism;
              p.sequence_parallel = tensor > 1 && number / 8 % 2 == 0;
              p.recompute = static_cast<Recompute>(option);
              p.recompute_layers = option == 2 && number % 5 == 0 ? 1 : 0;
              p.attention = number % 4 == 0 ? AttentionChoice::flash : AttentionChoice::unfused;
              p.clipping = static_cast<Clipping>(number / 3 % 4);
              layout.plan.ccl.bucket = buckets[number / 4 % 3];
              layout.plan.ccl.overlap_gradients = number % 7 != 0;
              layout.plan.ccl.overlap_parameters = number % 5 != 0;
              // Every other one: enough, and quick under sanitizers too.
              if (number++ % 2 == 0) found.push_back(std::move(layout));
            }
  return found;
}

}  // namespace quintet::test
