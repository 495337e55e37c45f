// A plan as asked for by fields, from a file or from nothing, for so many ranks: what was not said
// follows from what was.
#pragma once

#include <filesystem>
#include <string>

#include "sim/base/result.h"
#include "sim/json/field_change.h"
#include "sim/plan/plan.h"

namespace quintet {

// What stands in the file and holds only until something else is asked for.
struct PlanBase {
  std::string text = "{}";  // JSON
  std::string where;        // of the text, for messages
  bool is_file = false;     // else nothing was said before: the degree of data is not 1, but open
  std::filesystem::path folder = {};  // of the file: what it names may lie beside it
};

// The base with the changes, read as parse_plan() reads it. Beyond them:
//   data           as many replicas as fill `ranks`, where no change says it and another degree was
//                  changed, or there is no file; 0 ranks: as the file says
//   micro_batches  such that a step has the file's number of sequences, where no change says how
//                  many, and data or micro_batch were changed
// Equal to parse_plan() where there are no changes.
Result<Plan> asked_plan(const PlanBase& base, const FieldChanges& changes, int ranks);

Result<Plan> read_asked_plan(const std::filesystem::path& file, const FieldChanges& changes,
                             int ranks);

// "tp8-pp2-dp8": the degrees above 1, at least data's.
std::string layout_name(const Parallelism& parallelism);

}  // namespace quintet
