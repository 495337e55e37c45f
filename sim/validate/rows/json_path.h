// Places inside a JSON text: keys and positions joined by dots, "costs.eager",
// "machines.0.routing";
// "*" stands for every element of an array that has what follows ("gemm.*.sustained").
#pragma once

#include <optional>
#include <string>

#include "sim/base/result.h"

namespace quintet {

// The value there as JSON text; the first of several. None: there is nothing.
std::optional<std::string> json_at(const std::string& json, const std::string& path);

// The text with another value there, everywhere the path leads. `json` must be valid JSON; an
// error: the path leads nowhere.
Result<std::string> with_json_at(const std::string& json, const std::string& path,
                                 const std::string& value);

}  // namespace quintet
