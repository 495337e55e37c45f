// A cost table as the file that sim/cost/file/cost_table_file.h reads: what calibration measures,
// not the formulas of kernels.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/base/result.h"
#include "sim/cost/cost_table.h"

namespace quintet::calibrate {

// Reads back to an equal table, where that has operators, curves, processors, launches and copies,
// communication and whole steps only.
std::string text_of(const CostTable& table);

// A reader sees the file as it was, or all of the new one.
std::optional<Error> write_table(const std::filesystem::path& file, const CostTable& table);

}  // namespace quintet::calibrate
