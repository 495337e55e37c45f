// A sweep as a value: one scenario with one or two of its fields varied. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/scenario/scenario.h"
#include "sim/asked/swept_field.h"
#include "sim/base/result.h"

namespace quintet::gui {

struct SweepWish {
  Scenario base;
  std::vector<SweptField> fields;  // one or two
  bool operator==(const SweepWish&) const = default;
};

// One scenario of a sweep, and which values it has, one per field.
struct SweepCase {
  std::vector<std::string> values;
  Scenario scenario;
};

inline constexpr std::size_t most_sweep_cases = 2000;

// All combinations, the last field's values varying first. Fails where a field is none, both are
// the same, or there are too many cases.
Result<std::vector<SweepCase>> sweep_cases(const SweepWish& wish);

// "tensor 4, nics 2": for people.
std::string case_text(const SweepWish& wish, const SweepCase& one);

// The command that predicts the same: lists behind --set; shares of parts, of which a command has
// one each, in a shell's loop.
std::string sweep_command(const SweepWish& wish);

}  // namespace quintet::gui
