// From a Result to a value or a Failure.
#pragma once

#include <optional>
#include <utility>

#include "quintet/failure.h"
#include "sim/base/result.h"

namespace quintet::api {

template <class T>
T checked(Result<T> result) {
  if (!result) throw Failure(result.error().where, result.error().what);
  return std::move(*result);
}

inline void check(const std::optional<Error>& error) {
  if (error) throw Failure(error->where, error->what);
}

}  // namespace quintet::api
