// Who is in the groups that nodes name: files of ASTRA-sim ({"1": [0, 1]}), and what PyTorch tells
// in a node of metadata ([{"pg_name": "1", "ranks": [0, 1], ...}]).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "traces/chakra/chakra_node.h"

namespace quintet::chakra {

Result<std::vector<NamedGroup>> parse_groups(std::string_view json, const std::string& where);

// `values`: the node's inputs as Python prints a list of one text. What is none of it is passed
// over.
void take_groups_of_torch(std::vector<NamedGroup>& groups, std::string_view values);

}  // namespace quintet::chakra
