// Which family a config.json describes, by model_type, else architectures, else its keys.
#pragma once

#include <optional>

#include "sim/model/model.h"

namespace quintet {

class JsonObject;

// Nothing, and the object has failed: mixtures of experts, latent or linear attention, several
// modalities, and families we do not have are refused by name.
std::optional<ModelFamily> family_of(JsonObject& config);

}  // namespace quintet
