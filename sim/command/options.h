// Options that several verbs have.
#pragma once

#include <optional>

#include "sim/usage/verb.h"

namespace quintet {

Option hosts_option(std::optional<int>& hosts);

}  // namespace quintet
