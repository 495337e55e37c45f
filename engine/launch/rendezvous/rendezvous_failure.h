// Why a job ended: which rank failed and how. Every rank of a job is told the same.
#pragma once

#include <string>

#include "sim/base/ids.h"
#include "sim/base/result.h"

namespace quintet::engine {

struct Failure {
  Rank rank;          // invalid: nobody in particular
  std::string cause;  // "its connection closed", "was silent for 5.0 s"

  bool operator==(const Failure&) const = default;
  Error error() const {
    return {rank.valid() ? "rank " + std::to_string(rank.value) : "the job", cause};
  }
  std::string text() const { return error().text(); }
};

}  // namespace quintet::engine
