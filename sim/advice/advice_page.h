// Advice as a page of drawings and tables (sim/picture/page.h). Pure.
#pragma once

#include <vector>

#include "sim/advice/advice.h"
#include "sim/picture/page.h"

namespace quintet {

// From the usual plan to the chosen one by layers, each decision, each change of the machine, each
// thing that may go wrong, and the plans that no other beats: those that there are.
std::vector<Picture> advice_pictures(const Advice& advice);

// With what advice_text.h says.
Page advice_page(const Advice& advice);

}  // namespace quintet
