// What ends a wait for the device because a rank that the device waits for is gone.
#pragma once

#include <stdexcept>
#include <utility>

#include "sim/base/result.h"

namespace quintet::engine {

class LostPeer : public std::runtime_error {
 public:
  explicit LostPeer(Error error) : std::runtime_error(error.text()), error_(std::move(error)) {}
  const Error& error() const { return error_; }  // names the rank

 private:
  Error error_;
};

}  // namespace quintet::engine
