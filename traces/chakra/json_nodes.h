// The nodes of the JSON twin of a .et file: {"workload_graph": [{"Id": 1, "NodeType": 4, ...}]}.
#pragma once

#include <string>
#include <string_view>

#include "sim/base/result.h"
#include "traces/chakra/chakra_node.h"

namespace quintet::chakra {

// An object's beginning; no .et file begins so.
bool is_json(std::string_view beginning);
bool is_workload_graph(std::string_view json);

Result<RankNodes> parse_json_nodes(std::string_view json, const std::string& where);

}  // namespace quintet::chakra
