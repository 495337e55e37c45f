// Where a rank's process begins its life: on this host as it is, in a namespace
// (engine/emulated_cluster), or on another host.
#pragma once

#include "engine/launch/process.h"
#include "sim/base/ids.h"
#include "sim/base/result.h"

namespace quintet::engine {

class RankStarter {
 public:
  RankStarter() = default;
  RankStarter(const RankStarter&) = delete;
  RankStarter& operator=(const RankStarter&) = delete;
  virtual ~RankStarter() = default;

  // A child of the caller, whom it does not outlive.
  virtual Result<pid_t> start(Rank rank, const ProcessStart& process) = 0;
};

class LocalStarter final : public RankStarter {
 public:
  Result<pid_t> start(Rank rank, const ProcessStart& process) override;
};

}  // namespace quintet::engine
