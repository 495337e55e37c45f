// Hugging Face weights into a rank's parameters: only the bytes that the rank holds are read.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/files/weights/parameter_list.h"
#include "engine/files/weights/weight_files.h"
#include "sim/base/result.h"
#include "sim/model/model.h"

namespace quintet {

// Elements of the box in row-major order, in fp32, whatever the file keeps. Refuses missing tensors
// and shapes that are not the model's. Several threads may ask at once.
std::optional<Error> load_box(const WeightFiles& files, const Model& model,
                              const ParameterTensor& tensor, const Box& box,
                              std::span<float> values);

// Names in the files that no tensor of this model reads and that are no known leftover: worth
// telling, since they mean that file and config disagree.
std::vector<std::string> names_not_read(const WeightFiles& files, const Model& model);

}  // namespace quintet
