#include "calibrate/ranks/engine_ranks.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>

namespace quintet::calibrate {
namespace {

using engine::label_in;
using engine::LabelSpace;
using engine::Milliseconds;
using Numbers = std::vector<double>;

static_assert(std::is_trivially_copyable_v<TimingTask>);

// Rank 0 may be fitting curves, or measuring operators by itself, before it asks again; who dies is
// noticed at once all the same.
constexpr Milliseconds until_asked{24 * 3600 * 1000}, until_answered{600 * 1000};
constexpr std::uint64_t task_label = label_in(LabelSpace::free, 1),
                        answer_label = label_in(LabelSpace::free, 2),
                        seat_label = label_in(LabelSpace::free, 3),
                        job_label = label_in(LabelSpace::free, 4);

// What a rank says of itself, and rank 0 of it.
struct Word {
  std::uint64_t host = 0, machine = 0;
  std::int32_t cores = 1;
};
static_assert(std::is_trivially_copyable_v<Word>);

template <class Value>
std::span<std::byte> bytes_of(Value& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

std::uint64_t machine_number() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return std::hash<std::string>{}(id);
}

// Numbers in the order in which ranks first have a value.
class Numbering {
 public:
  std::uint64_t of(std::uint64_t value) {
    return numbers_.try_emplace(value, numbers_.size()).first->second;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> numbers_;
};

JobSeats seats_in(const std::vector<Word>& words) {
  JobSeats job;
  Numbering hosts, machines;
  for (const Word& word : words) {
    const auto machine = static_cast<int>(machines.of(word.machine));
    job.seats.push_back({static_cast<int>(hosts.of(word.host)), machine});
    if (machine == static_cast<int>(job.cores.size())) job.cores.push_back(word.cores);
  }
  return job;
}

}  // namespace

Result<JobSeats> seats_of_job(engine::Transport& transport, std::optional<int> host) {
  const auto world = static_cast<std::size_t>(transport.world());
  const auto self = static_cast<std::size_t>(transport.rank().value);
  std::vector<Word> words(world);
  Word& own = words[self];
  own.machine = machine_number();
  own.host = host ? static_cast<std::uint64_t>(*host) : own.machine;
  own.cores = static_cast<std::int32_t>(std::max(1U, std::thread::hardware_concurrency()));
  const std::span<std::byte> all = std::as_writable_bytes(std::span(words));
  if (self != 0) {
    if (const auto failure =
            transport.send(Rank{0}, seat_label, bytes_of(own), until_answered).wait())
      return failure->error();
    if (const auto failure = transport.receive(Rank{0}, job_label, all, until_answered).wait())
      return failure->error();
    return seats_in(words);
  }
  for (std::size_t rank = 1; rank < world; ++rank)
    if (const auto failure = transport
                                 .receive(Rank{static_cast<std::int32_t>(rank)}, seat_label,
                                          bytes_of(words[rank]), until_answered)
                                 .wait())
      return failure->error();
  for (std::size_t rank = 1; rank < world; ++rank)
    if (const auto failure =
            transport.send(Rank{static_cast<std::int32_t>(rank)}, job_label, all, until_answered)
                .wait())
      return failure->error();
  return seats_in(words);
}

EngineRanks::EngineRanks(engine::Transport& transport, JobSeats job)
    : EngineRanks(transport, job, std::make_unique<RankTasks>(transport, job)) {}

EngineRanks::EngineRanks(engine::Transport& transport, JobSeats job,
                         std::unique_ptr<TimingWork> own)
    : transport_(transport), job_(std::move(job)), own_(std::move(own)) {
  groups_.emplace(Members{0, 1, transport.world()}, 0);  // RankTasks knows it by this number
}

Result<std::vector<Numbers>> EngineRanks::ask(const TimingTask& task) {
  TimingTask told = task;
  std::vector<engine::Operation> sends, receives;
  std::vector<Numbers> all(job_.seats.size());
  for (int rank = 1; rank < transport_.world(); ++rank)
    sends.push_back(transport_.send(Rank{rank}, task_label, bytes_of(told), until_answered));
  Result<Numbers> own = own_->run(task);
  if (!own) {
    transport_.abort(own.error().text());
    return own.error();
  }
  all[0] = *std::move(own);
  for (int rank = 1; rank < transport_.world(); ++rank) {
    Numbers& theirs = all[static_cast<std::size_t>(rank)];
    theirs.resize(answers(task, job_, rank));
    receives.push_back(transport_.receive(
        Rank{rank}, answer_label, std::as_writable_bytes(std::span(theirs)), until_answered));
  }
  for (std::vector<engine::Operation>* const operations : {&sends, &receives})
    for (engine::Operation& operation : *operations)
      if (const auto failure = operation.wait()) return failure->error();
  return all;
}

Result<std::optional<Seconds>> EngineRanks::slowest(const TimingTask& task) {
  const Result<std::vector<Numbers>> all = ask(task);
  if (!all) return all.error();
  double slowest = 0;
  for (const Numbers& each : *all)
    for (const double seconds : each) {
      if (std::isnan(seconds)) return std::optional<Seconds>();
      slowest = std::max(slowest, seconds);
    }
  return std::optional(Seconds{slowest});
}

Result<std::optional<Seconds>> EngineRanks::time(const CollectiveProbe& probe, int calls) {
  TimingTask task;
  task.what = TimingTask::What::collective;
  task.kind = probe.method.kind;
  task.algorithm = probe.method.algorithm;
  task.protocol = probe.method.protocol;
  task.members = probe.members;
  task.group =
      groups_.try_emplace(probe.members, static_cast<std::uint32_t>(groups_.size())).first->second;
  task.size = probe.size.value;
  task.calls = calls;
  return slowest(task);
}

Result<Seconds> EngineRanks::time(const PairProbe& probe, int calls) {
  TimingTask task;
  task.what = TimingTask::What::pair;
  task.members = {probe.from, probe.to - probe.from, 2};
  task.size = probe.size.value;
  task.calls = calls;
  const Result<std::optional<Seconds>> time = slowest(task);
  if (!time) return time.error();
  assert(*time);  // messages have no algorithm that they could refuse
  return **time;
}

Result<std::vector<Numbers>> EngineRanks::quanta(int count) {
  std::vector<int> ranks_of_machine(job_.cores.size(), 0);
  for (const RankSeat& seat : job_.seats)
    ++ranks_of_machine[static_cast<std::size_t>(seat.machine)];
  const int turns = *std::max_element(ranks_of_machine.begin(), ranks_of_machine.end());
  std::vector<Numbers> all(job_.seats.size());
  TimingTask task;
  task.what = TimingTask::What::quanta;
  task.calls = count;
  for (task.turn = 0; task.turn < turns; ++task.turn) {
    Result<std::vector<Numbers>> some = ask(task);
    if (!some) return some.error();
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      if (!(*some)[rank].empty()) all[rank] = std::move((*some)[rank]);
  }
  return all;
}

Result<OverlapSample> EngineRanks::overlap(const OverlapProbe& probe) {
  TimingTask task;
  task.what = TimingTask::What::overlap;
  task.kind = probe.communication == CommunicationClass::reducing ? CollectiveKind::all_reduce
                                                                  : CollectiveKind::all_gather;
  task.compute = probe.compute;
  task.size = probe.size.value;
  task.calls = probe.calls;
  const Result<std::vector<Numbers>> all = ask(task);
  if (!all) return all.error();
  OverlapSample sample;
  for (const Numbers& each : *all) {
    sample.work_alone += each[0];
    sample.work_beside += each[1];
    sample.time_alone = std::max(sample.time_alone, Seconds{each[2]});
    sample.time_beside = std::max(sample.time_beside, Seconds{each[3]});
  }
  return sample;
}

Result<ClockReadings> EngineRanks::clocks() {
  TimingTask task;
  task.what = TimingTask::What::clocks;
  const Result<std::vector<Numbers>> all = ask(task);
  if (!all) return all.error();
  ClockReadings readings;
  for (const double offset : all->front()) readings.offsets.push_back(Seconds{offset});
  readings.bound = readings.offsets.back();
  readings.offsets.pop_back();
  return readings;
}

Result<RingTimings> EngineRanks::rings(Seconds pace) {
  TimingTask task;
  task.seconds = pace.value;
  task.what = TimingTask::What::rings;
  const Result<std::vector<Numbers>> all = ask(task);
  if (!all) return all.error();
  return *rings_of(all->front());
}

std::optional<Error> EngineRanks::end() {
  const Result<std::vector<Numbers>> all = ask(TimingTask{});
  return all ? std::nullopt : std::optional<Error>(all.error());
}

std::optional<Error> serve(engine::Transport& transport, const JobSeats& job) {
  RankTasks tasks(transport, job);
  return serve(transport, tasks);
}

std::optional<Error> serve(engine::Transport& transport, TimingWork& work) {
  for (;;) {
    TimingTask task;
    if (const auto failure =
            transport.receive(Rank{0}, task_label, bytes_of(task), until_asked).wait())
      return failure->error();
    Result<Numbers> numbers = work.run(task);
    if (!numbers) {
      transport.abort(numbers.error().text());
      return numbers.error();
    }
    if (const auto failure =
            transport
                .send(Rank{0}, answer_label, std::as_bytes(std::span(*numbers)), until_answered)
                .wait())
      return failure->error();
    if (task.what == TimingTask::What::end) return std::nullopt;
  }
}

}  // namespace quintet::calibrate
