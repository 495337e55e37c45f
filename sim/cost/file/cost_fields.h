// What the readers of costs.json's parts share beside the lists of fields (cost_lists.h).
#pragma once

#include <string>
#include <string_view>

#include "sim/json/json_value.h"

namespace quintet {

class JsonObject;
struct FieldKey;

// A number that must lie from `least` to `most`; the second takes `fallback` where it is absent.
double number_in(JsonObject& fields, const FieldKey& key, double least, double most);
double number_in_or(JsonObject& fields, const FieldKey& key, double fallback, double least,
                    double most);

// "source" must be there; the error of a fit ("fit"), if given, comes behind it.
std::string origin_of(JsonObject& fields);
// The two as an entry of a table has them.
JsonValue origin_fields(const std::string& source, const std::string& fit);

// No key of the child is left unread; its error, if any, is the parent's.
void finish(JsonObject& child, JsonObject& parent);

}  // namespace quintet
