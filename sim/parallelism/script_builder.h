// One stage's script under construction.
#pragma once

#include <utility>
#include <vector>

#include "sim/parallelism/pipeline_order.h"
#include "sim/program/program.h"

namespace quintet {

// Indices of calls that another call waits for.
using Calls = std::vector<int>;

// What a call is about, besides its body.
struct About {
  const Pass* pass = nullptr;  // its micro-batch and chunk; none: neither
  int layers = 1;
  int first_layer = -1;
  int layer_step = 1;
  int bucket = -1;
  int every = 1;
  std::vector<ElementRange> elements{};
};

class ScriptBuilder {
 public:
  // Returns the call's index.
  int call(BodyId body, Calls after, About about = {}) {
    Call made;
    made.body = body;
    made.layers = about.layers;
    made.first_layer = about.first_layer;
    made.layer_step = about.layer_step;
    made.bucket = about.bucket;
    made.every = about.every;
    made.elements = std::move(about.elements);
    if (about.pass) {
      made.micro_batch = about.pass->micro_batch;
      made.chunk = about.pass->chunk;
    }
    made.after = std::move(after);
    script_.calls.push_back(std::move(made));
    return last();
  }

  int last() const { return static_cast<int>(script_.calls.size()) - 1; }
  Script script() && { return std::move(script_); }

 private:
  Script script_;
};

}  // namespace quintet
