// How frameworks whose pipeline is a list of modules cut it into stages. Pure.
#pragma once

#include <vector>

#include "sim/model/model.h"

namespace quintet {

enum class StageCut {
  // The layers are dealt evenly; where they do not divide, the stages of embedding and head have
  // less.
  layers,
  // Embedding, layers, final norm and head are one list of modules, cut evenly; where it does not
  // divide, the first stages have one more (partition_uniform of DeepSpeed, and of Aleph Alpha's
  // scaling/core/nn/parallel_module/pipeline_partitioning.py).
  modules,
  // The same list, cut so that the stage with the most parameters has as few as can be, each stage
  // in turn taking as many modules as that allows (partition_balanced of the same).
  parameters,
};

// Layers of each stage, by modules or parameters; empty for one stage, and for `layers`. A stage
// of embedding, norm or head alone has 0.
std::vector<int> layers_of_stages(const Model& model, StageCut cut, int stages);

}  // namespace quintet
