// NCCL, found and loaded when a program first asks for it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/launch/rank_identity.h"
#include "sim/base/result.h"

namespace quintet::engine {

struct NcclFunctions;

// Where libnccl.so.2 may lie, best first: what QUINTET_NCCL_LIBRARY names, and nothing else if it
// is set; the CUDA toolkit ($CUDA_HOME, $CUDA_PATH, /usr/local/cuda); the system's own libraries
// (a name without a folder); Python's packages (nvidia/*/lib).
std::vector<std::string> nccl_places(const Environment& environment);

// NCCL 2.28 or a later 2.x; it stays loaded. The error names every place and what is wrong there.
class NcclLibrary {
 public:
  static Result<NcclLibrary> open(const std::vector<std::string>& places);
  NcclLibrary(NcclLibrary&&) noexcept;
  NcclLibrary& operator=(NcclLibrary&&) noexcept;
  ~NcclLibrary();

  const NcclFunctions& functions() const { return *functions_; }
  const std::string& place() const { return place_; }
  int version() const { return version_; }  // 22809: 2.28.9

 private:
  NcclLibrary(std::string place, std::unique_ptr<NcclFunctions> functions, int version);

  std::string place_;
  std::unique_ptr<NcclFunctions> functions_;
  int version_;
};

}  // namespace quintet::engine
