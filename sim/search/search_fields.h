// Which decisions a search can make, a row each: what it is called, which values it takes when it
// is left free, and when it has no effect. To add one: its row in fields_of_parallelism.cpp or
// fields_of_bytes.cpp. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/json/field_change.h"
#include "sim/search/space.h"

namespace quintet {

// What sensible values depend on.
struct FreeContext {
  const Model& model;
  std::vector<MachineSize> machines;
  int global_batch = 0;  // 0: not known
  bool on_gpus = true;   // on one of the machines at least; else on processors
};

struct SearchField {
  std::string_view path;  // as --set names it: "parallelism.tensor", "ccl.data.algorithm"
  SearchPart part = SearchPart::parallelism;
  // Whether a search that says nothing of it chooses it.
  bool usually_free = false;
  // Values when it is left free; null: it has none that are sensible for all, and must be given.
  std::vector<std::string> (*free_values)(const FreeContext& context) = nullptr;
  // What the plan's reader is told for a value. Null: that the field of this path has it.
  FieldChanges (*changes)(const std::string& value) = nullptr;
  void (*take)(Draft& to, const Plan& from) = nullptr;
  // Whether it changes anything of this plan, whose other decisions of its part, and those of
  // layer 1, are made. Null: always. Where it does not, the field is set as `neutral` says
  // (null: it stays), and only its first choice is a candidate.
  bool (*matters)(const Draft& draft) = nullptr;
  void (*neutral)(Draft& draft) = nullptr;
};

// Layer 1's first, each part's together. A field's `matters` may look at those before it.
std::span<const SearchField> search_fields();
// Null where a search cannot vary it.
const SearchField* search_field(std::string_view path);
std::span<const SearchField> fields_of_parallelism();
std::span<const SearchField> fields_of_bytes();

// The values, each read as the plan's file has it. The error names the value that is none.
Result<Dimension> dimension_of(const SearchField& field, const std::vector<std::string>& values,
                               const std::string& asked);

// A change of a plan for one value of a row.
FieldChanges changes_of(const SearchField& field, const std::string& value,
                        const std::string& asked);

}  // namespace quintet
