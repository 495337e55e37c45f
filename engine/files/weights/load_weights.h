// Hugging Face weights into a rank's parameters: only what the rank holds is read.
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

// In fp32, whatever the file keeps. Refuses missing tensors and shapes that are not the model's.
std::optional<Error> load_parameter(const WeightFiles& files, const Model& model,
                                    const Parameter& parameter, std::span<float> values);

// Names in the files that no tensor of this model reads and that are no known leftover: worth
// telling, since they mean that file and config disagree.
std::vector<std::string> names_not_read(const WeightFiles& files, const Model& model);

}  // namespace quintet
