// An operator in words, for messages.
#pragma once

#include <string>

#include "sim/model/operator.h"

namespace quintet {

// "mlp_up forward in fp32, 256x1024x256"
std::string operator_text(const PricedOperator& work);

}  // namespace quintet
