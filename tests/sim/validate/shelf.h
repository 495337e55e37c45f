// What ships with Quintet, as validate uses it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "sim/cost/file/cost_table_file.h"
#include "sim/validate/rows/express.h"

namespace quintet {

inline std::filesystem::path repository() {
  return QUINTET_SOURCE_DIR;
}

inline Shelf shipped_shelf() {
  Shelf shelf;
  auto stacks = read_stacks(repository() / "traces/stacks");
  auto machines = read_machines(repository() / "traces/machines/published.json");
  auto costs = read_cost_table(repository() / "traces/costs/a100-sxm-80gb.json");
  EXPECT_TRUE(stacks && machines && costs);
  if (!stacks || !machines || !costs) return shelf;
  shelf.stacks = std::move(*stacks);
  shelf.machines = std::move(*machines);
  shelf.costs = {std::move(*costs)};
  return shelf;
}

}  // namespace quintet
