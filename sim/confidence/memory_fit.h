// Whether a plan fits, with the margin that predictions of memory have. Pure.
#pragma once

#include <string>
#include <string_view>

#include "sim/confidence/residuals.h"
#include "sim/explain/memory_report.h"

namespace quintet {

// too_close: so near to the capacity that more than one in ten published verdicts were wrong there.
// not_known: the machine does not say how much memory it has.
enum class MemoryFit { fits, too_close, does_not_fit, not_known };
std::string_view name_of(MemoryFit fit);  // "fits", "too close to tell", "does not fit"

MemoryFit memory_fit(const MemoryReport& report, const MemoryBand& band);

// "too close to tell: 78.10 of 80.00 GiB (97.6 %) on rank 0 (stage 0); 12 of 70 published verdicts
// from 94 to 103 % of the capacity were wrong". Otherwise verdict_text(). Empty: not known.
std::string memory_fit_text(const MemoryReport& report, const MemoryBand& band);

}  // namespace quintet
