// Fields that the lists of costs.json share (sim/json/field_list.h). Only reader .cpp files include
// this header.
#pragma once

#include <limits>
#include <string>

#include "sim/cost/evidence.h"
#include "sim/cost/fit_validity.h"
#include "sim/json/field_list.h"

namespace quintet {

template <class File>
void fields(File& file, Residuals& residuals) {
  file.required({"p05", "5 % of measured / predicted - 1 lie below"}, residuals.p05,
                Between{-1.0, 1e6});
  file.required({"p95", "5 % lie above"}, residuals.p95, Between{-1.0, 1e6});
  file.required({"samples", "how many"}, residuals.samples,
                Between{0, std::numeric_limits<int>::max()});
  if (residuals.p95 < residuals.p05) file.refuse("p95", "is below p05");
}

// Written where there are samples.
template <class File>
void residuals_field(File& file, const char* key, Residuals& residuals) {
  file.unusual(key, residuals, {residuals.p05, residuals.p95, 0});
}

// Where a part does not say what it rests on: on measurements if it has residuals of them.
inline Evidence usual_evidence(const Residuals& residuals) {
  return residuals.samples > 0 ? Evidence::measured : Evidence::guessed;
}

// Backward as forward, unless said.
template <class File>
void evidence_fields(File& file, PassEvidence& evidence, const Residuals& residuals) {
  file.unusual("evidence", evidence.forward, usual_evidence(residuals));
  file.unusual("backward_evidence", evidence.backward, evidence.forward);
}

template <class File>
void fields(File& file, Covered& range) {
  file.required({"of", "which size of the work"}, range.of);
  file.required({"least", "that was measured"}, range.least);
  file.required({"most", "that was measured"}, range.most);
  if (range.most < range.least) file.refuse("most", "is below least");
}

// Where numbers come from; of a fit, its error.
struct Origin {
  std::string source, fit;
};

template <class File>
void fields(File& file, Origin& origin) {
  file.required({"source", "where the numbers come from"}, origin.source);
  if (origin.source.empty()) file.refuse("source", "must say where the numbers come from");
  file.unusual({"fit", "the error of a fit"}, origin.fit, "");
}

// Read as one sentence: the source, then the error.
template <class File>
void origin(File& file, std::string& source) {
  Origin both{source, ""};
  fields(file, both);
  source = both.fit.empty() ? both.source : both.source + "; " + both.fit;
}

}  // namespace quintet
