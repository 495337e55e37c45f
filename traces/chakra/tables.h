// Quintet's own tables <-> the bytes of the attribute "quintet_tables".
#pragma once

#include <string>
#include <string_view>

#include "sim/base/result.h"
#include "traces/chakra/chakra_node.h"

namespace quintet::chakra {

std::string tables_bytes(const Tables& tables);
Result<Tables> parse_tables(std::string_view bytes, const std::string& where);

Tables tables_of(const Workload& workload);

}  // namespace quintet::chakra
