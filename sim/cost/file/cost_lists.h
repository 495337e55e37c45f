// Fields that the lists of costs.json share (sim/json/field_list.h). Only reader .cpp files include
// this header.
#pragma once

#include <limits>
#include <string>

#include "sim/cost/residuals.h"
#include "sim/json/field_list.h"

namespace quintet {

template <class File>
void fields(File& file, Residuals& residuals) {
  file.required("p05", residuals.p05, Between{-1.0, 1e6});
  file.required("p95", residuals.p95, Between{-1.0, 1e6});
  file.required("samples", residuals.samples, Between{0, std::numeric_limits<int>::max()});
  if (residuals.p95 < residuals.p05) file.refuse("p95", "is below p05");
}

// Written where there are samples.
template <class File>
void residuals_field(File& file, const char* key, Residuals& residuals) {
  file.unusual(key, residuals, {residuals.p05, residuals.p95, 0});
}

// "source" must be there; the error of a fit ("fit"), if given, comes behind it.
template <class File>
void origin(File& file, std::string& source) {
  file.required("source", source);
  if (source.empty()) file.refuse("source", "must say where the numbers come from");
  std::string fit;
  file.unusual("fit", fit, "");
  if (!fit.empty()) source += "; " + fit;
}

}  // namespace quintet
