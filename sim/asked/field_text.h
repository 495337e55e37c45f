// The fields of a file for those who write it: as a table, as Markdown, as JSON Schema.
#pragma once

#include <string>

#include "sim/base/result.h"
#include "sim/json/field_description.h"

namespace quintet {

// A line per field: its path, default, what it accepts, what it means. `prefix` stands before
// paths: "parallelism.".
std::string fields_text(const FieldDescription& object, const std::string& prefix);

// A table per object of the file, for traces/plans/README.md.
std::string fields_markdown(const FieldDescription& file);

// The same for a page about a whole file (docs/formats): first the fields outside of objects; lists
// of objects have tables too, and so have objects inside of objects.
std::string file_markdown(const FieldDescription& file);

// JSON Schema (draft 2020-12) of a file with these fields. It knows our spelling of words; readers
// accept others too (sim/base/usual_words.h).
std::string schema_text(const FieldDescription& file, const std::string& title);

// "plan", "topology", "costs", "prices", "faults", "losses" or "jobs"; the error says which there
// are.
Result<FieldDescription> fields_of_file(const std::string& kind);

}  // namespace quintet
