// Fields of a JSON file that were given another value before it is read, as by "--set
// parallelism.tensor=4": what the file's reader then says of them holds for them too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"

namespace quintet {

struct FieldChange {
  std::string path;   // in the file: "parallelism.tensor", "ccl.rules[0].algorithm"
  std::string value;  // JSON, or without quotes: 8, true, bf16, 450GB/s, [7,5,3,1]
  std::string asked;  // as it was asked for, for messages: "--tensor 8"
  bool operator==(const FieldChange&) const = default;
};
using FieldChanges = std::vector<FieldChange>;

// The file's text with them; unchanged where there are none. Objects on the way are made where they
// are missing; of a list, the entry after the last is appended. The error names the file, or the
// change that cannot be made.
Result<std::string> changed_text(const std::string& text, const std::string& where,
                                 const FieldChanges& changes);

// What a reader said of a changed file, said of the change where that is at fault: the place is its
// field, or an object that it alone has made.
Error blamed(const Error& error, const FieldChanges& changes);

// At commas outside of quotes and brackets: the values of "1,2,[3,4]". One value without commas.
std::vector<std::string> listed(std::string_view values);

}  // namespace quintet
