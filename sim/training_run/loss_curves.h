// How the loss fell with each of several replicators, as it was measured: one model, one text, one
// batch. Fields and what they mean: `quintet plan fields losses`, docs/formats/losses.md.
//
//   {"name": "tiny-gpt", "source": "...", "curves": [
//     {"name": "AdamW", "optimizer": "adamw", "clipping": "none",
//      "replicator": {"kind": "full"}, "steps": [20, 40], "losses": [3.1, 2.4]}]}
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/json/field_description.h"
#include "sim/plan/parallelism.h"

namespace quintet {

struct LossCurve {
  std::string name;
  Optimizer optimizer = Optimizer::adamw;
  Clipping clipping = Clipping::after_reduction;
  Replicator replicator;
  std::vector<int> steps;      // ascending, 1 or more of them
  std::vector<double> losses;  // as many, above 0
  bool operator==(const LossCurve&) const = default;
};

struct LossCurves {
  std::string name, source;
  std::vector<LossCurve> curves;  // 1 or more, each with a name of its own
  // What was trained; empty and 0: not known.
  std::string model;
  int global_batch = 0, sequence_length = 0;
  bool operator==(const LossCurves&) const = default;
};

// The error names file, place, value and what is accepted.
Result<LossCurves> read_loss_curves(const std::filesystem::path& file);
Result<LossCurves> parse_loss_curves(const std::string& text, const std::string& where);

FieldDescription loss_curve_fields();

}  // namespace quintet
