// A sweep as a value: one scenario with one or two of its fields varied. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/scenario/scenario.h"
#include "sim/base/result.h"

namespace quintet::gui {

// What varies: a field as --set names it, or the share of a part's rate that is left, as --slow
// does.
enum class SweptKind { field, share };

struct SweptField {
  SweptKind kind = SweptKind::field;
  std::string name;  // "parallelism.tensor"; of the part: "leaf0-spine1"
  std::vector<std::string> values;
  bool operator==(const SweptField&) const = default;
};

struct SweepWish {
  Scenario base;
  std::vector<SweptField> fields;  // one or two
  bool operator==(const SweepWish&) const = default;
};

// "parallelism.tensor", "hosts" (topology.hosts), "slow leaf0-spine1" (a share), with its values as
// swept_values() reads them.
Result<SweptField> swept_field(const std::string& name, const std::string& values);
// As it is chosen: "slow leaf0-spine1"; and short: "tensor".
std::string name_text(const SweptField& field);
std::string short_name(const SweptField& field);

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
