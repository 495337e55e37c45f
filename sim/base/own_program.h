// The file of the program that runs: what is started again, and what lies beside it.
#pragma once

#include <filesystem>

namespace quintet {

// Empty where the system does not say (no /proc).
inline std::filesystem::path own_program() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/exe", unknown);
}

}  // namespace quintet
