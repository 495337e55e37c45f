// What a GPU could compute at best by NVIDIA's datasheet: what papers count utilisation against.
#pragma once

#include <optional>
#include <string_view>

#include "sim/base/data_type.h"
#include "sim/base/units.h"

namespace quintet::engine {

// Dense, of tensor cores in bf16 and of plain cores in fp32 (products of fp32 are not rounded to
// TF32 here). By the name that the driver gives the GPU, "NVIDIA H100 80GB HBM3"; nothing for one
// that is not known or whose datasheet says nothing of the type.
std::optional<FlopRate> datasheet_peak(std::string_view device, DataType type);

}  // namespace quintet::engine
