// `quintet plan fields`: what fields there are.
#pragma once

#include <string>

#include "sim/usage/verb.h"

namespace quintet {

enum class FieldsAs { text, markdown };

// Prints the fields of a plan's layer, of the host, of a whole file, or those of that name; empty:
// of plans. As Markdown the plan's layers for their README, and of a file that is named all.
ExitCode print_fields(const std::string& of, FieldsAs as);

}  // namespace quintet
