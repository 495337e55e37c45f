// As much of JSON Schema (draft 2020-12) as docs/schema uses: $ref inside the document, anyOf,
// const, enum, type, minimum, maximum, properties, required, additionalProperties: false, items,
// minItems. A schema with another keyword fails the test, so that none goes unchecked.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace quintet::test {

// "/summary/0/mfu: expected number or null, found text"; empty: it is valid.
std::vector<std::string> schema_complaints(const nlohmann::json& value,
                                           const nlohmann::json& schema);

}  // namespace quintet::test
