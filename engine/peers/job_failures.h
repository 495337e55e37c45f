// How a rank hears that another failed, and says that it failed itself, beside what it waits for:
// NCCL, say, knows no causes.
#pragma once

#include <optional>
#include <string>

#include "sim/base/result.h"

namespace quintet::engine {

class JobFailures {
 public:
  JobFailures() = default;
  JobFailures(const JobFailures&) = delete;
  JobFailures& operator=(const JobFailures&) = delete;
  virtual ~JobFailures() = default;

  virtual std::optional<Error> failure() const = 0;  // names the rank
  virtual void abort(const std::string& cause) = 0;  // ends the job on every rank
};

}  // namespace quintet::engine
