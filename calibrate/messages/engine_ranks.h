// Ranks on processors, over the engine's transport and its collectives: rank 0 asks, all do.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "calibrate/messages/rank_tasks.h"
#include "calibrate/messages/ranks.h"
#include "calibrate/messages/rings.h"
#include "engine/transport/transport.h"

namespace quintet::calibrate {

// `host`: as the topology tells them apart; nothing: machines are hosts. All ranks together.
Result<JobSeats> seats_of_job(engine::Transport& transport, std::optional<int> host);

// Of each kind of collective first what plans get that ask for nothing.
std::vector<Method> methods_on_processors();

// Rank 0's. The others serve meanwhile.
class EngineRanks final : public Ranks {
 public:
  // The transport must outlive it.
  EngineRanks(engine::Transport& transport, JobSeats job);

  const std::vector<RankSeat>& seats() const override { return job_.seats; }
  std::vector<Method> methods() const override { return methods_on_processors(); }
  Result<Seconds> time(const CollectiveProbe& probe, int calls) override;
  Result<Seconds> time(const PairProbe& probe, int calls) override;
  Result<std::vector<std::vector<double>>> quanta(int count) override;
  Result<OverlapSample> overlap(const OverlapProbe& probe) override;
  Result<ClockReadings> clocks() override;

  Result<RingTimings> rings(Seconds pace);
  // The others stop serving.
  std::optional<Error> end();

 private:
  // What each rank answered.
  Result<std::vector<std::vector<double>>> ask(const Task& task);
  Result<Seconds> slowest(const Task& task);

  engine::Transport& transport_;
  const JobSeats job_;
  RankTasks own_;
  std::map<Members, std::uint32_t> groups_;
};

// Another rank's: does what rank 0 asks until that ends it.
std::optional<Error> serve(engine::Transport& transport, const JobSeats& job);

}  // namespace quintet::calibrate
