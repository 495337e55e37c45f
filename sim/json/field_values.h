// What a file says, field by field, in the words that people give behind --set: "8", "bf16",
// "160 MB", lists and objects as JSON on a line.
#pragma once

#include <map>
#include <string>

#include "sim/json/field_description.h"

namespace quintet {

// By their paths: "parallelism.tensor".
using FieldTexts = std::map<std::string, std::string>;

// Of the fields that are there, objects and those inside of them. `json` must be JSON.
FieldTexts field_texts(const FieldDescription& file, const std::string& json);

// JSON without the quotes of a text: what FieldDescription::usual is to people.
std::string plain_value(const std::string& json);

// A field's value as --set takes it, so that a text stays one ("8" of a name is no number, and a
// comma begins no second value).
std::string asked_value(const FieldDescription& field, const std::string& value);

}  // namespace quintet
