// A device had no memory for a block: how much was asked for, and how it stood.
#pragma once

#include <stdexcept>
#include <string>

namespace quintet::engine {

class MemoryFull : public std::runtime_error {
 public:
  explicit MemoryFull(const std::string& how) : std::runtime_error(how) {}
};

}  // namespace quintet::engine
