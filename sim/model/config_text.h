// Model -> Hugging Face config.json.
#pragma once

#include <string>

#include "sim/model/model.h"

namespace quintet {

// parse_model reads it back to an equal Model, as far as a config.json can say what it is: not the
// name (its folder's), not `headless` or `predicted_share`.
std::string config_text(const Model& model);

}  // namespace quintet
