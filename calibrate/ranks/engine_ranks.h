// Ranks of a job that the engine's transport connects: rank 0 asks, all do. What they do, on
// processors or GPUs, is in rank_tasks.h.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "calibrate/ranks/rank_tasks.h"
#include "calibrate/ranks/ranks.h"
#include "calibrate/ranks/rings.h"
#include "engine/network/transport/transport.h"

namespace quintet::calibrate {

// `host`: as the topology tells them apart; nothing: machines are hosts. All ranks together.
Result<JobSeats> seats_of_job(engine::Transport& transport, std::optional<int> host);

// Rank 0's. The others serve meanwhile.
class EngineRanks final : public TimedRanks {
 public:
  // The transport must outlive it. `own`: what rank 0 does itself, like all others; on processors
  // unless told.
  EngineRanks(engine::Transport& transport, JobSeats job);
  EngineRanks(engine::Transport& transport, JobSeats job, std::unique_ptr<TimingWork> own);

  const std::vector<RankSeat>& seats() const override { return job_.seats; }
  std::vector<Method> methods() const override { return own_->methods(); }
  MessageSizes sizes() const override { return own_->sizes(); }
  Result<std::optional<Seconds>> time(const CollectiveProbe& probe, int calls) override;
  Result<Seconds> time(const PairProbe& probe, int calls) override;
  Result<std::vector<std::vector<double>>> quanta(int count) override;
  Result<OverlapSample> overlap(const OverlapProbe& probe) override;
  Result<ClockReadings> clocks() override;

  Result<RingTimings> rings(Seconds pace);
  // The others stop serving.
  std::optional<Error> end();

 private:
  // What each rank answered.
  Result<std::vector<std::vector<double>>> ask(const TimingTask& task);
  Result<std::optional<Seconds>> slowest(const TimingTask& task);

  engine::Transport& transport_;
  const JobSeats job_;
  const std::unique_ptr<TimingWork> own_;
  std::map<Members, std::uint32_t> groups_;
};

// Another rank's: does what rank 0 asks until that ends it.
std::optional<Error> serve(engine::Transport& transport, TimingWork& work);
std::optional<Error> serve(engine::Transport& transport, const JobSeats& job);  // on processors

}  // namespace quintet::calibrate
