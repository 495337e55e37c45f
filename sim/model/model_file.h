// Hugging Face config.json <-> Model. Key names per family: transformers' configuration classes.
#pragma once

#include <filesystem>
#include <string>

#include "sim/base/result.h"
#include "sim/model/model.h"

namespace quintet {

// Unknown keys are accepted (a config.json carries tokenizer and generation settings); missing or
// impossible ones are not. A family we do not model (mixture of experts, MLA) is refused by name.
Result<Model> read_model(const std::filesystem::path& file);
Result<Model> parse_model(const std::string& text, const std::string& where);

// A config.json (config_text.cpp): parse_model reads it back to an equal Model, as far as a
// config.json can say what it is: not the name (its folder's), not `headless`. Of BERT,
// "mlm_probability" (which transformers keeps in its data collator) is `predicted_share`: without
// it the head sees all positions.
std::string config_text(const Model& model);

}  // namespace quintet
