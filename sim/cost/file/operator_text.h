// An operator in words, for messages.
#pragma once

#include <string>

#include "sim/model/operator.h"

namespace quintet {

// "256x1024x256", "4 x 8 heads of 64, 512x512", "1 MiB read, 2 MiB written"
std::string shape_text(const OperatorShape& shape);
// "mlp_up forward in fp32, 256x1024x256"
std::string operator_text(const PricedOperator& work);

}  // namespace quintet
