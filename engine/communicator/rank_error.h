// Whose failure it is, for ranks that are threads and fail together.
#pragma once

#include <string>

#include "sim/base/ids.h"
#include "sim/base/result.h"

namespace quintet::engine {

// "rank 3: ..." in front, unless a rank is named there already.
inline Error blamed_on(Rank rank, const Error& cause) {
  if (cause.where.starts_with("rank ")) return cause;
  return {"rank " + std::to_string(rank.value), cause.text()};
}

}  // namespace quintet::engine
