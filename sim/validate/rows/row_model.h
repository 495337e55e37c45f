// The transformer of a published row.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "sim/model/model.h"
#include "sim/validate/rows/published_row.h"
#include "sim/validate/rows/software_stack.h"

namespace quintet {

// Or why its shape is not known. Adds a remark for every cell that had to be filled in.
std::variant<Model, std::string> row_model(const PublishedRow& row, const SoftwareStack& stack,
                                           std::vector<std::string>& remarks);

}  // namespace quintet
