// A device, or its host, had no memory for a block: how much was asked for, and how it stood.
#pragma once

#include <stdexcept>
#include <string>

namespace quintet::engine {

enum class MemoryOf { device, host };

class MemoryFull : public std::runtime_error {
 public:
  explicit MemoryFull(const std::string& how, MemoryOf whose = MemoryOf::device)
      : std::runtime_error(how), whose_(whose) {}

  MemoryOf whose() const { return whose_; }

 private:
  MemoryOf whose_;
};

}  // namespace quintet::engine
