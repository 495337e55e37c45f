// What goes to the standard error when a verb cannot do what was asked.
#pragma once

#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/usage/verb.h"

namespace quintet {

// "a, b, c"
std::string joined(const std::vector<std::string>& words);

// Returns ExitCode::wrong_input.
ExitCode complain(const Error& error);

// {"schema_version": 2, "errors": [{"plan": null, "where", "what"}]} and a line end: what verbs with
// --json print beside the sentence (docs/schema/simulate.json).
std::string error_json(const Error& error);

// Results may sit in a buffer until the end; only then it shows whether they could be written.
ExitCode after_writing_out(ExitCode code);

}  // namespace quintet
