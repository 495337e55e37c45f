// A sweep's answers as a table, CSV and JSON. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/answer/figure.h"
#include "sim/asked/swept_field.h"
#include "sim/command/sweep/swept_case.h"

namespace quintet {

struct SweepRow {
  std::vector<std::string> values;  // one per field
  CaseAnswer made;
};

struct Sweep {
  std::string model, machine;      // as they are called
  std::vector<SweptField> fields;  // one or more
  std::vector<SweepRow> rows;      // all combinations, the last field's values varying first
};

std::optional<double> value_of(const SweepRow& row, Figure figure);
// Those that are known of any row.
std::vector<Figure> known_figures(const Sweep& sweep);

// The row that has the best figure among those that fit; none where none does.
std::optional<std::size_t> best_row(const Sweep& sweep, Figure figure);

// Of one field or more than two a line per case; of two a table of `figure` with the first down and
// the second across. The best is marked, what does not fit is in brackets, reasons stand below.
std::string sweep_text(const Sweep& sweep, Figure figure);

// A column per field, then "step_s", ... with their units; what is not known is empty.
std::string sweep_csv(const Sweep& sweep);

// {"schema_version": 1, "model", "topology", "fields": [{"name", "values"}], "points": [{"values":
//  {NAME: VALUE}, "fits", "reason", "step_s", "interval", "mfu", "tokens_per_s", "memory_bytes",
//  "capacity_bytes", "energy_j", "cost_usd"}], "best": position of the fastest that fits, or null};
// docs/schema/sweep.json describes all.
std::string sweep_json(const Sweep& sweep);

}  // namespace quintet
