#include "calibrate/ranks/gpu_tasks.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

namespace quintet::calibrate {
namespace {

using engine::NcclGroup;
using kernels::StreamEvent;

constexpr std::size_t element = sizeof(float);
constexpr double not_as_asked = std::numeric_limits<double>::quiet_NaN();
constexpr double alone = 0.1;   // seconds of computing by itself
constexpr int most_calls = 50;  // a stream holds about a thousand pieces of work
constexpr int most_ahead = 300;
constexpr std::size_t ahead = 32;  // pieces that wait on the stream: the GPU never runs out

NcclChoice choice_of(const TimingTask& task) {
  return {task.algorithm, task.protocol};
}

Members everyone(const JobSeats& job) {
  return {0, 1, static_cast<int>(job.seats.size())};
}

std::size_t bytes_of(const TimingTask& task) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(task.size) / element) * element;
}

// Pieces done by then, parts of one too: each was done at one of these times, one after another
// since `from`.
double done_by(double time, double from, const std::vector<double>& ends) {
  double before = from;
  for (std::size_t piece = 0; piece < ends.size(); before = ends[piece++])
    if (time <= ends[piece])
      return static_cast<double>(piece) + (time - before) / (ends[piece] - before);
  return static_cast<double>(ends.size());
}

}  // namespace

GpuTasks::GpuTasks(engine::Transport& transport, JobSeats job, const GpuRankParts& parts)
    : transport_(transport),
      job_(job),
      parts_(parts),
      without_gpu_(transport, std::move(job)),
      timer_(parts.device, parts.nccl.peers, parts.hold_bytes),
      groups_(std::in_place, parts.nccl),
      account_(parts.account) {}

// First what may hold the streams up, which all else waits for.
GpuTasks::~GpuTasks() {
  groups_.reset();
}

std::vector<Method> GpuTasks::methods() const {
  return methods_on_gpus(parts_.account.empty() ? TunerPlugin::missing : TunerPlugin::present);
}

Result<GpuTasks::Numbers> GpuTasks::run(const TimingTask& task) try {
  Result<Numbers> numbers = done(task);
  if (!numbers) groups_.reset();
  return numbers;
} catch (const std::exception& failure) {
  groups_.reset();
  return Error{"GPU", failure.what()};
}

Result<GpuTasks::Numbers> GpuTasks::done(const TimingTask& task) {
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
    case TimingTask::What::rings:
      return without_gpu_.run(task);
    case TimingTask::What::end:
      if (auto wrong = groups_->close()) return *wrong;
      return Numbers{};
  }
  return Numbers{};
}

void GpuTasks::make_room(const TimingTask& task) {
  const std::size_t bytes = std::max<std::size_t>(bytes_of(task), 4096);
  const auto grow = [&](std::optional<DeviceBlock>& block) {
    if (block && block->bytes() >= bytes) return;
    block.reset();  // first: there may be no room for both
    block.emplace(parts_.device, bytes);
  };
  grow(buffer_);
  if (task.kind == CollectiveKind::all_to_all) grow(received_);
}

Result<NcclGroup*> GpuTasks::group(const Members& members, const NcclChoice& choice) {
  if (auto wrong = groups_->touch(members, choice)) return *wrong;
  return groups_->touched();
}

std::optional<Error> GpuTasks::calls(const TimingTask& task, NcclGroup& group, int count) {
  make_room(task);
  engine::CollectiveCall call;
  call.kind = task.kind;
  call.buffer = buffer_->first(bytes_of(task));
  if (task.kind == CollectiveKind::all_to_all) call.received = received_->first(bytes_of(task));
  const bool rooted = task.kind == CollectiveKind::broadcast || task.kind == CollectiveKind::reduce;
  for (int number = 0; number < count; ++number) {
    if (rooted) call.root = next_root(number, group.size());
    if (auto wrong = group.start(call, timer_.moving())) return wrong;
  }
  return std::nullopt;
}

std::optional<Error> GpuTasks::meet(NcclGroup& group) {
  TimingTask barrier;
  barrier.size = element;
  return calls(barrier, group, 1);
}

Result<double> GpuTasks::seconds_of_call(const TimingTask& task, NcclGroup& group) {
  make_room(task);
  const int count = std::min(task.calls, most_calls);
  timer_.hold(count);
  if (auto wrong = meet(group)) return *wrong;
  const StreamEvent from = timer_.mark(timer_.moving());
  if (auto wrong = timer_.queue(count, [&] { return calls(task, group, count); })) return *wrong;
  const StreamEvent to = timer_.mark(timer_.moving());
  if (auto wrong = timer_.wait(to, &group)) return *wrong;
  return timer_.seconds(from, to) / count;
}

// Members ask the same of one communicator, and NCCL's table is the same for all of them: they
// come to one answer.
bool GpuTasks::is_refused(const TimingTask& task) {
  if (!task.algorithm) return false;
  return account_.could(rules_of(task.members, {}).communicator, task.kind, choice_of(task)) ==
         false;
}

bool GpuTasks::was_obeyed(const TimingTask& task) {
  if (!task.algorithm) return true;
  const NcclChoice choice = choice_of(task);
  return account_.could(rules_of(task.members, choice).communicator, task.kind, choice,
                        bytes_of(task)) == true;
}

Result<GpuTasks::Numbers> GpuTasks::collective(const TimingTask& task) {
  if (auto wrong = groups_->touch(task.members, choice_of(task))) return *wrong;
  if (!is_member(task.members, self())) return Numbers{};
  if (is_refused(task)) return Numbers{not_as_asked};
  const Result<NcclGroup*> group = groups_->touched();
  if (!group) return group.error();
  const std::tuple shape(task.kind, choice_of(task), task.members, task.size);
  if (warm_ != shape) {
    if (auto wrong = calls(task, **group, 2)) return *wrong;
    if (auto wrong = timer_.wait_for_all(timer_.moving(), *group)) return *wrong;
    warm_ = shape;
  }
  const Result<double> seconds = seconds_of_call(task, **group);
  if (!seconds) return seconds.error();
  return Numbers{was_obeyed(task) ? *seconds : not_as_asked};
}

std::optional<Error> GpuTasks::there_and_back(const TimingTask& task, NcclGroup& group, int count) {
  const std::span<std::byte> bytes = buffer_->first(bytes_of(task));
  const int other = 1 - group.position();
  const bool first = group.position() == 0;
  for (int number = 0; number < count; ++number)
    for (const bool sends : {first, !first})
      if (auto wrong = sends ? group.send(other, bytes, timer_.moving())
                             : group.receive(other, bytes, timer_.moving()))
        return wrong;
  return std::nullopt;
}

Result<GpuTasks::Numbers> GpuTasks::pair(const TimingTask& task) {
  const Result<NcclGroup*> members = group(task.members, {});
  if (!members) return members.error();
  if (*members == nullptr) return Numbers{};
  make_room(task);
  const int count = std::min(task.calls, most_calls / 2);
  timer_.hold(2 * count);
  if (auto wrong = there_and_back(task, **members, 1)) return *wrong;
  const StreamEvent from = timer_.mark(timer_.moving());
  if (auto wrong = timer_.queue(2 * count, [&] { return there_and_back(task, **members, count); }))
    return *wrong;
  const StreamEvent to = timer_.mark(timer_.moving());
  if (auto wrong = timer_.wait(to, *members)) return *wrong;
  return Numbers{timer_.seconds(from, to) / (2 * count)};
}

Result<GpuTasks::Numbers> GpuTasks::quanta(const TimingTask& task) {
  if (turn_of(job_, self()) != task.turn) return Numbers{};
  GpuPiece piece(parts_.device, task.compute, parts_.piece);
  piece.queue(timer_.computing());
  std::vector<StreamEvent> ends{timer_.mark(timer_.computing())};
  for (int number = 0; number < task.calls; ++number) {
    piece.queue(timer_.computing());
    ends.push_back(timer_.mark(timer_.computing()));
  }
  if (auto wrong = timer_.wait(ends.back(), nullptr)) return *wrong;
  Numbers seconds;
  for (std::size_t end = 1; end < ends.size(); ++end)
    seconds.push_back(parts_.device.seconds_between(ends[end - 1], ends[end]));
  for (const StreamEvent end : ends) timer_.give_back(end);
  return seconds;
}

Result<double> GpuTasks::seconds_of_pieces(GpuPiece& piece, int count) {
  piece.queue(timer_.computing());
  const StreamEvent from = timer_.mark(timer_.computing());
  for (int number = 0; number < count; ++number) piece.queue(timer_.computing());
  const StreamEvent to = timer_.mark(timer_.computing());
  if (auto wrong = timer_.wait(to, nullptr)) return *wrong;
  return timer_.seconds(from, to);
}

// Computing begins when all members have met and goes on until the last call is over; the first one
// begins when all are queued.
Result<GpuTasks::Beside> GpuTasks::side_by_side(const TimingTask& task, NcclGroup& group,
                                                GpuPiece& piece, double seconds_of_piece) {
  if (auto wrong = meet(group)) return *wrong;
  const StreamEvent start = timer_.mark(timer_.moving());
  parts_.device.wait(timer_.computing(), start);
  std::vector<StreamEvent> ends;
  const auto queue_piece = [&] {
    piece.queue(timer_.computing());
    ends.push_back(timer_.mark(timer_.computing()));
  };
  const double queueing = 1.5 * timer_.queueing() * task.calls / seconds_of_piece;
  const auto before = static_cast<std::size_t>(std::clamp(queueing, 1.0, double{most_ahead}));
  while (ends.size() < before) queue_piece();
  parts_.device.wait(timer_.moving(), ends.back());
  while (ends.size() < before + ahead) queue_piece();
  const StreamEvent from = timer_.mark(timer_.moving());
  if (auto wrong = calls(task, group, task.calls)) return *wrong;
  const StreamEvent to = timer_.mark(timer_.moving());
  while (!parts_.device.has_happened(to)) {
    if (auto wrong = timer_.wait(ends[ends.size() - ahead], &group)) return *wrong;
    queue_piece();
  }
  if (auto wrong = timer_.wait(ends.back(), &group)) return *wrong;
  const auto since_start = [&](StreamEvent event) {
    return parts_.device.seconds_between(start, event);
  };
  std::vector<double> times;
  for (const StreamEvent end : ends) times.push_back(since_start(end));
  const double begun = since_start(from), over = since_start(to);
  for (const StreamEvent event : ends) timer_.give_back(event);
  for (const StreamEvent event : {start, from, to}) timer_.give_back(event);
  return Beside{over - begun, done_by(over, 0, times) - done_by(begun, 0, times)};
}

// What is alone is seen close to what is beside, since GPUs change their clocks.
Result<GpuTasks::Numbers> GpuTasks::overlap(const TimingTask& task) {
  const Result<NcclGroup*> all = group(everyone(job_), {});
  if (!all) return all.error();
  make_room(task);
  if (auto wrong = calls(task, **all, 2)) return *wrong;
  if (auto wrong = timer_.wait_for_all(timer_.moving(), *all)) return *wrong;
  TimingTask some = task;
  some.calls = std::min(task.calls, most_calls);
  GpuPiece piece(parts_.device, task.compute, parts_.piece);
  const Result<double> few = seconds_of_pieces(piece, 4);
  if (!few) return few.error();
  const int count = static_cast<int>(std::clamp(4 * alone / std::max(*few, 1e-9), 4.0, 500.0));
  const Result<double> computing = seconds_of_pieces(piece, count);
  if (!computing) return computing.error();
  const Result<Beside> beside = side_by_side(some, **all, piece, *computing / count);
  if (!beside) return beside.error();
  const Result<double> moving = seconds_of_call(some, **all);
  if (!moving) return moving.error();
  return Numbers{count / *computing, beside->pieces / beside->seconds, some.calls * *moving,
                 beside->seconds};
}

}  // namespace quintet::calibrate
