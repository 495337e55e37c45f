// The nodes of a .et file.
#pragma once

#include <functional>

#include "sim/base/result.h"
#include "traces/chakra/chakra_node.h"
#include "traces/chakra/messages.h"

namespace quintet::chakra {

// `told` is called every few thousand nodes.
Result<RankNodes> read_protobuf_nodes(Messages& messages, const std::function<void()>& told = {});

}  // namespace quintet::chakra
