// Ranks that are threads of one process. Sums are added in the order of ranks, whatever the order
// in which they arrive: rank 0's term plus rank 1's plus ...; 16-bit terms in fp32, rounded once.
#pragma once

#include <memory>
#include <vector>

#include "engine/communication/communication_backend.h"
#include "sim/program/program.h"

namespace quintet::engine {

class LocalWorld {
 public:
  explicit LocalWorld(const Program& program);
  ~LocalWorld();
  LocalWorld(const LocalWorld&) = delete;
  LocalWorld& operator=(const LocalWorld&) = delete;

  CommunicationBackend& rank(Rank rank);

 private:
  class Shared;
  class LocalRank;
  std::unique_ptr<Shared> shared_;
  std::vector<std::unique_ptr<LocalRank>> ranks_;
};

}  // namespace quintet::engine
