// A comparison of two timelines, drawn: the page of `quintet compare` and drawings for that of
// `quintet loop`.
#pragma once

#include <string>
#include <vector>

#include "sim/explain/difference/difference_report.h"
#include "sim/picture/page.h"

namespace quintet {

// From predicted to measured, by cause; changes sum to the step's.
Picture waterfall_picture(const std::string& name, const std::string& title,
                          const Difference& difference);

// Both steps as bars, the waterfall, both pipelines and the ranks of both.
Page difference_page(const DifferenceInput& input);

}  // namespace quintet
