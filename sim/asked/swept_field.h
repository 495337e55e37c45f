// What a sweep varies: a field as --set names it, or the share of a part's rate that is left, as
// --slow does. Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/base/result.h"

namespace quintet {

enum class SweptKind { field, share };

struct SweptField {
  SweptKind kind = SweptKind::field;
  std::string name;  // "parallelism.tensor"; of the part: "leaf0-spine1"
  std::vector<std::string> values;
  bool operator==(const SweptField&) const = default;
};

// "parallelism.tensor", "hosts" (topology.hosts), "slow leaf0-spine1" (a share), with its values as
// swept_values() reads them.
Result<SweptField> swept_field(const std::string& name, const std::string& values);

// As it is chosen: "slow leaf0-spine1"; and short: "tensor".
std::string name_text(const SweptField& field);
std::string short_name(const SweptField& field);

// Whether two paths mean one field of one file, whatever they are called.
bool is_same_field(const std::string& one, const std::string& other);
bool is_same(const SweptField& one, const SweptField& other);
bool is_hosts(const SweptField& field);
// "1" or "100%": no part of a rate is missing, which --slow does not take.
bool is_whole_rate(const std::string& share);

}  // namespace quintet
