// Arguments of a training framework as its parser takes them: a name, a type, the words of a closed
// set, and which field of a plan they say.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"

namespace quintet {

enum class ArgumentType { flag, integer, real, text };

// What a file in which values have types is to have there: "true or false", "a whole number".
std::string_view noun(ArgumentType type);

struct ArgumentRow {
  std::string_view name;  // "--tensor-model-parallel-size", "parallelism.tensor_parallel_degree"
  ArgumentType type = ArgumentType::text;
  // Of the plan: "parallelism.tensor". Empty: of the model, the launcher or the training, which a
  // plan does not hold.
  std::string_view field = {};
  std::string_view choices = {};  // "full|selective"; empty: any
};

// One that was given: flags have no value. `line` counts from 1.
struct GivenArgument {
  std::string name, value;
  int line = 0;
};

// What was read but could not be made part of a plan.
struct NotUnderstood {
  int line = 0;
  std::string what;  // as it was given, shortened
  std::string why;
  bool operator==(const NotUnderstood&) const = default;
};

// The row of that name; none: the framework has none, or it is unknown here.
const ArgumentRow* row_of(std::span<const ArgumentRow> table, std::string_view name);

// What is wrong with a value, with what is accepted; none: nothing.
std::optional<std::string> refusal(const ArgumentRow& row, std::string_view value);

// All that a file gives, each of them one that refusal() let pass. The last of a name counts, as
// argparse has it.
class Arguments {
 public:
  Arguments(std::string where, std::vector<GivenArgument> given);

  const GivenArgument* given(std::string_view name) const;
  bool has(std::string_view name) const { return given(name) != nullptr; }
  int integer(std::string_view name, int usual) const;
  double real(std::string_view name, double usual) const;
  std::string text(std::string_view name, std::string_view usual) const;
  // "FILE:LINE" of an argument, or the file alone where it is not given.
  std::string place(std::string_view name) const;
  const std::string& file() const { return where_; }

 private:
  std::string where_;
  std::vector<GivenArgument> given_;
};

}  // namespace quintet
