// How everything in this folder says that what it was given is wrong.
#pragma once

#include <stdexcept>
#include <string>

#include "quintet/export.h"

namespace quintet::api {

// what(): place and reason in one text, as `quintet` writes it.
class QUINTET_API Failure : public std::runtime_error {
 public:
  Failure(const std::string& place, const std::string& reason);
  ~Failure() override;

  const std::string& place() const { return place_; }    // "plan.json: parallelism.tensor"
  const std::string& reason() const { return reason_; }  // what was found, what would be accepted

 private:
  std::string place_, reason_;
};

}  // namespace quintet::api
