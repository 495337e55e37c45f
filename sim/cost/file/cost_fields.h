// Fields that all parts of costs.json share: numbers in a range, where they come from.
#pragma once

#include <string>
#include <string_view>

#include "sim/cost/covered.h"
#include "sim/cost/residuals.h"

namespace quintet {

class JsonObject;

double number_in(JsonObject& fields, std::string_view key, double least, double most);
double number_in_or(JsonObject& fields, std::string_view key, double fallback, double least,
                    double most);

// Above zero: these end up under a fraction line. Not above 1.2: nothing beats its peak by more
// than boost clocks.
double efficiency(JsonObject& fields, std::string_view key);
double factor_or_one(JsonObject& fields, std::string_view key);

// "source" must be there; the error of a fit ("fit"), if given, comes behind it.
std::string origin_of(JsonObject& fields);

// "residuals": {"p05", "p95", "samples"}, and "covered": [{"of", "least", "most"}]; none where
// absent.
Residuals residuals_or_none(JsonObject& fields, const char* key = "residuals");
CoveredRanges covered_or_none(JsonObject& fields);

// No key of the child is left unread; its error, if any, is the parent's.
void finish(JsonObject& child, JsonObject& parent);

}  // namespace quintet
