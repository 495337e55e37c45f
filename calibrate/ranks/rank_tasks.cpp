#include "calibrate/ranks/rank_tasks.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "calibrate/machine/work_piece.h"
#include "calibrate/ranks/rings.h"
#include "engine/communication/group_options.h"
#include "engine/network/transport/direct_move.h"
#include "engine/peers/transport_peers.h"
#include "engine/timeline/job_clock.h"
#include "sim/ccl/choice/cpu_choice.h"

namespace quintet::calibrate {
namespace {

using engine::Clock;
using Numbers = std::vector<double>;

constexpr engine::Milliseconds patience{60000};
constexpr std::uint32_t everyone_number = 0;
constexpr std::chrono::milliseconds alone{500};
constexpr std::uint64_t pair_label = 1;

double seconds_since(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

Members everyone(const JobSeats& job) {
  return {0, 1, static_cast<int>(job.seats.size())};
}

}  // namespace

int next_root(int number, int ranks) {
  return (ranks - number % ranks) % ranks;
}

int turn_of(const JobSeats& job, int rank) {
  const auto here = [&](const RankSeat& seat) {
    return seat.machine == job.seats[static_cast<std::size_t>(rank)].machine;
  };
  return static_cast<int>(std::count_if(job.seats.begin(), job.seats.begin() + rank, here));
}

bool is_member(const Members& members, int rank) {
  const int away = rank - members.first;
  return away >= 0 && away % members.stride == 0 && away / members.stride < members.count;
}

std::size_t answers(const TimingTask& task, const JobSeats& job, int rank) {
  switch (task.what) {
    case TimingTask::What::collective:
    case TimingTask::What::pair:
      return is_member(task.members, rank) ? 1 : 0;
    case TimingTask::What::quanta:
      return turn_of(job, rank) == task.turn ? static_cast<std::size_t>(task.calls) : 0;
    case TimingTask::What::overlap:
      return 4;
    case TimingTask::What::clocks:
      return rank == 0 ? job.seats.size() + 1 : 0;
    case TimingTask::What::rings:
      return rank == 0 ? 20 : 0;
    case TimingTask::What::end:
      return 0;
  }
  return 0;
}

std::vector<Method> methods_on_processors() {
  std::vector<Method> methods;
  for (const CollectiveKind kind :
       {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter, CollectiveKind::all_gather,
        CollectiveKind::all_to_all, CollectiveKind::broadcast})
    for (const Algorithm algorithm : usual_first())
      if (cpu_ranks_do(kind, algorithm)) methods.push_back({kind, algorithm, {}});
  return methods;
}

RankTasks::RankTasks(engine::Transport& transport, JobSeats job)
    : transport_(transport), job_(std::move(job)) {}
RankTasks::~RankTasks() = default;

Result<Numbers> RankTasks::run(const TimingTask& task) {
  switch (task.what) {
    case TimingTask::What::collective:
      return collective(task);
    case TimingTask::What::pair:
      return pair(task);
    case TimingTask::What::quanta:
      return quanta(task);
    case TimingTask::What::overlap:
      return overlap(task);
    case TimingTask::What::clocks:
      return clocks();
    case TimingTask::What::rings:
      return rings(task);
    case TimingTask::What::end:
      return Numbers{};
  }
  return Numbers{};
}

// Levels and order as a training job's communicators have them.
Result<engine::RankGroup*> RankTasks::group(const Members& members, std::uint32_t number) {
  std::unique_ptr<engine::RankGroup>& known = groups_[members];
  if (known) return known.get();
  std::vector<Rank> ranks;
  std::vector<Seat> seats;
  for (int place = 0; place < members.count; ++place)
    ranks.push_back(Rank{members.first + place * members.stride});
  for (std::size_t rank = 0; rank < job_.seats.size(); ++rank)
    seats.push_back({job_.seats[rank].host, static_cast<int>(rank)});
  const quintet::Communicator named{"timed", {}, {}};
  Result<std::unique_ptr<engine::RankGroup>> made = engine::RankGroup::make(
      transport_, engine::group_options(CommunicatorId{static_cast<std::int32_t>(number)}, named,
                                        ranks, engine::layout_of(ranks, seats)));
  if (!made) return made.error();
  known = *std::move(made);
  return known.get();
}

std::optional<Error> RankTasks::calls(const TimingTask& task, engine::RankGroup& group, int count) {
  const auto elements = static_cast<std::size_t>(task.size / 4);
  buffer_.resize(std::max(buffer_.size(), elements));
  engine::CollectiveCall call;
  call.kind = task.kind;
  call.algorithm = *task.algorithm;
  call.buffer = std::as_writable_bytes(std::span(buffer_.data(), elements));
  call.within = patience;
  if (task.kind == CollectiveKind::all_to_all) {
    received_.resize(std::max(received_.size(), elements));
    call.received = std::as_writable_bytes(std::span(received_.data(), elements));
  }
  const bool rooted = task.kind == CollectiveKind::broadcast || task.kind == CollectiveKind::reduce;
  for (int number = 0; number < count; ++number) {
    if (rooted) call.root = next_root(number, group.size());
    Result<engine::Operation> operation = group.start(call);
    if (!operation) return operation.error();
    if (const auto failure = operation->wait()) return failure->error();
  }
  return std::nullopt;
}

std::optional<Error> RankTasks::meet(engine::RankGroup& group) {
  TimingTask barrier;
  barrier.algorithm = Algorithm::direct;
  barrier.size = 4;
  return calls(barrier, group, 1);
}

Result<Numbers> RankTasks::collective(const TimingTask& task) {
  if (!is_member(task.members, self())) return Numbers{};
  const Result<engine::RankGroup*> members = group(task.members, task.group);
  if (!members) return members.error();
  // Once for a shape: connections, buffers, schedule.
  const std::tuple shape(task.kind, *task.algorithm, task.members, task.size);
  if (warm_ != shape)
    if (auto wrong = calls(task, **members, 1)) return *wrong;
  warm_ = shape;
  if (auto wrong = meet(**members)) return *wrong;
  const Clock::time_point from = Clock::now();
  if (auto wrong = calls(task, **members, task.calls)) return *wrong;
  return Numbers{seconds_since(from) / task.calls};
}

std::optional<Error> RankTasks::move_there_and_back(const TimingTask& task, int count) {
  using engine::DirectMove;
  const bool first = self() == task.members.first;
  const Rank peer{first ? task.members.first + task.members.stride : task.members.first};
  const std::size_t elements = std::max<std::size_t>(1, static_cast<std::size_t>(task.size / 4));
  buffer_.resize(std::max(buffer_.size(), elements));
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(buffer_.data(), elements));
  const auto send = [&] {
    return transport_
        .start(std::make_unique<DirectMove>(peer, engine::message_tag(Rank{self()}, pair_label),
                                            std::span<const std::byte>(bytes)),
               patience)
        .wait();
  };
  const auto receive = [&] {
    return transport_
        .start(std::make_unique<DirectMove>(peer, engine::message_tag(peer, pair_label), bytes),
               patience)
        .wait();
  };
  for (int number = 0; number < count; ++number)
    for (const bool sends : {first, !first})
      if (const auto failure = sends ? send() : receive()) return failure->error();
  return std::nullopt;
}

Result<Numbers> RankTasks::pair(const TimingTask& task) {
  if (!is_member(task.members, self())) return Numbers{};
  if (auto wrong = move_there_and_back(task, 1)) return *wrong;
  const Clock::time_point from = Clock::now();
  if (auto wrong = move_there_and_back(task, task.calls)) return *wrong;
  return Numbers{seconds_since(from) / (2 * task.calls)};
}

Result<Numbers> RankTasks::quanta(const TimingTask& task) const {
  if (turn_of(job_, self()) != task.turn) return Numbers{};
  return timed_pieces(task.compute, task.calls);
}

// Work alone, both, communication alone: what is alone is seen close to what is beside, since
// machines change their speed.
Result<Numbers> RankTasks::overlap(const TimingTask& task) {
  const Result<engine::RankGroup*> all = group(everyone(job_), everyone_number);
  if (!all) return all.error();
  if (auto wrong = calls(task, **all, 1)) return *wrong;
  Numbers numbers(4);
  {
    const BusyCores busy(1, task.compute);
    if (auto wrong = meet(**all)) return *wrong;
    std::int64_t before = busy.pieces();
    Clock::time_point from = Clock::now();
    std::this_thread::sleep_for(alone);
    numbers[0] = static_cast<double>(busy.pieces() - before) / seconds_since(from);
    if (auto wrong = meet(**all)) return *wrong;
    before = busy.pieces();
    from = Clock::now();
    if (auto wrong = calls(task, **all, task.calls)) return *wrong;
    numbers[3] = seconds_since(from);
    numbers[1] = static_cast<double>(busy.pieces() - before) / numbers[3];
  }
  if (auto wrong = meet(**all)) return *wrong;
  const Clock::time_point from = Clock::now();
  if (auto wrong = calls(task, **all, task.calls)) return *wrong;
  numbers[2] = seconds_since(from);
  return numbers;
}

Result<Numbers> RankTasks::clocks() {
  engine::TransportPeers peers(transport_);
  engine::JobClock clock(peers);
  if (auto wrong = clock.measure()) return *wrong;
  if (self() != 0) return Numbers{};
  Numbers numbers;
  const Clock::time_point now = Clock::now();
  for (int rank = 0; rank < transport_.world(); ++rank)
    numbers.push_back(
        std::chrono::duration<double>(now - clock.on_rank_0(Rank{rank}, now)).count());
  numbers.push_back(std::chrono::duration<double>(clock.bound()).count());
  return numbers;
}

Result<Numbers> RankTasks::rings(const TimingTask& task) {
  const Result<engine::RankGroup*> all = group(everyone(job_), everyone_number);
  if (!all) return all.error();
  const int machine = job_.seats[static_cast<std::size_t>(self())].machine;
  RingCores cores{job_.cores[static_cast<std::size_t>(machine)], 0, 0};
  for (const RankSeat& seat : job_.seats) cores.ranks_here += seat.machine == machine ? 1 : 0;
  for (const int each : job_.cores) cores.everywhere += each;
  const Result<RingTimings> timings = time_rings(**all, cores, Seconds{task.seconds});
  if (!timings) return timings.error();
  return self() == 0 ? numbers_of(*timings) : Numbers{};
}

}  // namespace quintet::calibrate
