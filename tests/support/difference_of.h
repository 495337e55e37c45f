// The difference of two timelines of which nothing is wrong.
#pragma once

#include <gtest/gtest.h>

#include "sim/explain/difference/difference.h"

namespace quintet {

inline Difference difference_of(const Timeline& one, const Timeline& other) {
  const Result<Difference> found = difference(one, other);
  if (found) return *found;
  ADD_FAILURE() << found.error().text();
  return {};
}

}  // namespace quintet
