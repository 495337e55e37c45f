// What one rank does when rank 0 asks for a measurement: all ranks are told the same task, each
// knows its part in it, and how many numbers every other answers with.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "calibrate/ranks/ranks.h"
#include "engine/network/collectives/rank_group.h"
#include "engine/network/transport/transport.h"

namespace quintet::calibrate {

// As it travels: all ranks are of one build.
struct TimingTask {
  enum class What : int { collective, pair, quanta, overlap, clocks, rings, end };
  What what = What::end;
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::optional<Algorithm> algorithm = Algorithm::ring;  // none: the library chooses
  std::optional<Protocol> protocol{};
  Members members;          // collective; pair: from, distance
  std::uint32_t group = 0;  // a number of its own for each set of members
  double size = 0;          // bytes
  int calls = 1;            // or pieces of work
  int turn = 0;             // quanta: of the ranks of a machine
  double seconds = 1;       // rings: of one measurement
  ComputeClass compute = ComputeClass::product;
};

struct JobSeats {
  std::vector<RankSeat> seats;
  std::vector<int> cores;  // of each machine
};

// How many numbers a rank answers with.
std::size_t answers(const TimingTask& task, const JobSeats& job, int rank);
bool is_member(const Members& members, int rank);
// The rank's number among those of its machine: whose turn it is to compute alone.
int turn_of(const JobSeats& job, int rank);
// This is the root of call `number`, as a position. It is chosen so that the next root has to wait
// for the last rank that this call reaches, and does not run ahead of the others.
int next_root(int number, int ranks);

class TimingWork {
 public:
  TimingWork() = default;
  TimingWork(const TimingWork&) = delete;
  TimingWork& operator=(const TimingWork&) = delete;
  virtual ~TimingWork() = default;

  // As of TimedRanks.
  virtual std::vector<Method> methods() const = 0;
  virtual MessageSizes sizes() const { return {}; }
  // collective, pair: seconds of a call, no number where it was not done as asked; quanta: of each
  // piece; overlap: pieces per second alone and beside, seconds of all calls alone and beside;
  // clocks, on rank 0: each rank's offset, then the bound; rings, on rank 0: numbers_of.
  virtual Result<std::vector<double>> run(const TimingTask& task) = 0;
};

// Each kind of collective begins with what plans get that ask for nothing.
std::vector<Method> methods_on_processors();

// Over the engine's transport and its collectives.
class RankTasks final : public TimingWork {
 public:
  // The transport must outlive it.
  RankTasks(engine::Transport& transport, JobSeats job);
  ~RankTasks() override;

  std::vector<Method> methods() const override { return methods_on_processors(); }
  Result<std::vector<double>> run(const TimingTask& task) override;

 private:
  Result<std::vector<double>> collective(const TimingTask& task);
  Result<std::vector<double>> pair(const TimingTask& task);
  Result<std::vector<double>> quanta(const TimingTask& task) const;
  Result<std::vector<double>> overlap(const TimingTask& task);
  Result<std::vector<double>> clocks();
  Result<std::vector<double>> rings(const TimingTask& task);

  Result<engine::RankGroup*> group(const Members& members, std::uint32_t number);
  std::optional<Error> calls(const TimingTask& task, engine::RankGroup& group, int count);
  std::optional<Error> meet(engine::RankGroup& group);
  std::optional<Error> move_there_and_back(const TimingTask& task, int count);
  int self() const { return transport_.rank().value; }

  engine::Transport& transport_;
  const JobSeats job_;
  std::map<Members, std::unique_ptr<engine::RankGroup>> groups_;
  std::vector<float> buffer_, received_;
  std::optional<std::tuple<CollectiveKind, Algorithm, Members, double>> warm_;  // the last
};

}  // namespace quintet::calibrate
