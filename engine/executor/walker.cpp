#include "engine/executor/walker.h"

#include <time.h>

#include <algorithm>
#include <utility>

#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

Instant since(Clock::time_point origin, Clock::time_point time) {
  const auto passed = std::chrono::duration_cast<std::chrono::nanoseconds>(time - origin);
  return {passed.count() * 1000};
}

// Since the calling thread began, as far as it ran.
Duration thread_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return {(std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec) * 1000};
}

}  // namespace

Walker::Walker(const Program& program, const Role& role, Rank rank, RankWork& work,
               Communicator& communicator)
    : program_(program),
      role_(role),
      rank_(rank),
      work_(work),
      communicator_(communicator),
      list_(task_list(program, role.script)),
      facts_(script_facts(program, role.script).bodies) {
  int first = 0;
  for (const Body& body : program.bodies) {
    first_info_.push_back(first);
    first += static_cast<int>(body.instructions.size());
  }
  for (const LaneInfo& lane : program.lanes) is_compute_.push_back(lane.kind == LaneKind::compute);
}

const Call& Walker::call(int task) const {
  return role_.script.calls[at(list_.tasks[at(task)].call)];
}

const Instruction& Walker::instruction(int task) const {
  return program_.bodies[call(task).body.index()].instructions[at(list_.tasks[at(task)].place)];
}

Situation Walker::situation(int number) const {
  const Task& task = list_.tasks[at(number)];
  const Call& from = call(number);
  const Body& body = program_.bodies[from.body.index()];
  return {
      {task.call, task.iteration}, layer_of(from, task.iteration),     from.micro_batch, from.chunk,
      facts_[from.body.index()],   occurrence_of(body, at(task.place))};
}

Result<WalkedStep> Walker::walk(Clock::time_point origin) {
  origin_ = origin;
  walked_ = {};
  flying_.clear();
  TaskProgress progress(program_, role_.script, list_);
  while (!progress.done()) {
    const bool started = start_communication(progress);
    const bool ran = run_kernel(progress);
    const bool idle = !started && !ran;
    if (idle && flying_.empty())
      return Error{role_.name, "stands still: an instruction waits for one that never comes"};
    if (const Failure wrong =
            collect(progress, idle ? Patience::until_one_is_over : Patience::none))
      return *wrong;
  }
  ++steps_;
  return std::move(walked_);
}

bool Walker::start_communication(TaskProgress& progress) {
  bool started = false;
  for (std::size_t lane = 0; lane < progress.lanes(); ++lane) {
    if (is_compute_[lane]) continue;
    const int task = progress.ready(lane);
    if (task < 0) continue;
    take_up(progress, task);
    launch(task);
    started = true;
  }
  return started;
}

bool Walker::run_kernel(TaskProgress& progress) {
  for (std::size_t lane = 0; lane < progress.lanes(); ++lane) {
    if (!is_compute_[lane]) continue;
    const int task = progress.ready(lane);
    if (task < 0) continue;
    const Clock::time_point start = Clock::now();
    const Duration before = thread_time();
    take_up(progress, task);
    work_.compute(instruction(task), situation(task));
    finish(progress, task);
    const Duration cpu = thread_time() - before;
    record(task, start, start, Clock::now(), cpu);
    return true;
  }
  return false;
}

void Walker::take_up(TaskProgress& progress, int task) {
  if (progress.begins_unit(task)) work_.begin_unit(situation(task));
  progress.start(task);
}

void Walker::finish(TaskProgress& progress, int task) {
  progress.finish(task);
  if (progress.ends_unit(task)) work_.end_unit(situation(task));
}

// The same number on both sides; a step has one message of each.
std::uint64_t Walker::tag(Payload payload, int chunk, const Situation& where) const {
  const auto kind = static_cast<std::uint64_t>(payload == Payload::activation ? 0 : 1);
  return kind << 48 | static_cast<std::uint64_t>(chunk) << 32 |
         static_cast<std::uint64_t>(where.micro_batch);
}

void Walker::launch(int task) {
  Flying flying;
  flying.task = task;
  flying.start = Clock::now();
  const Duration before = thread_time();
  const Instruction& what = instruction(task);
  const Situation where = situation(task);
  if (const auto* const collective = std::get_if<Collective>(&what.action)) {
    CollectiveWork work = work_.begin(*collective, what.block, where);
    const auto uses = static_cast<std::uint64_t>(list_.uses[collective->communicator.index()]);
    work.use = steps_ * uses + static_cast<std::uint64_t>(list_.tasks[at(task)].use);
    flying.ticket = communicator_.start(work);
  } else if (const auto* const send = std::get_if<Send>(&what.action)) {
    flying.message = work_.outgoing(*send, where);
    flying.ticket = communicator_.send(neighbour(program_.grid, rank_, send->axis, send->offset),
                                       tag(send->payload, send->chunk, where),
                                       std::as_const(flying.message).bytes());
  } else if (const auto* const receive = std::get_if<Receive>(&what.action)) {
    flying.message = work_.incoming();
    flying.ticket =
        communicator_.receive(neighbour(program_.grid, rank_, receive->axis, receive->offset),
                              tag(receive->payload, receive->chunk, where), flying.message.bytes());
  }
  flying.cpu = thread_time() - before;
  flying_.push_back(std::move(flying));
}

void Walker::land(Flying& flying) {
  const Instruction& what = instruction(flying.task);
  const Situation where = situation(flying.task);
  if (const auto* const collective = std::get_if<Collective>(&what.action))
    work_.end(*collective, what.block, where);
  if (const auto* const receive = std::get_if<Receive>(&what.action))
    work_.arrived(*receive, std::move(flying.message), where);
}

Walker::Failure Walker::collect(TaskProgress& progress, Patience patience) {
  if (flying_.empty()) return std::nullopt;
  std::vector<Ticket> tickets;
  for (const Flying& each : flying_) tickets.push_back(each.ticket);
  const Result<std::vector<Completion>> over = communicator_.finished(tickets, patience);
  if (!over) return over.error();
  for (const Completion& each : *over) {
    Flying& flying = flying_[each.place];
    const Duration before = thread_time();
    land(flying);
    finish(progress, flying.task);
    record(flying.task, flying.start, std::max(each.moving, flying.start), each.end,
           flying.cpu + (thread_time() - before));
    flying.task = -1;
  }
  std::erase_if(flying_, [](const Flying& each) { return each.task < 0; });
  return std::nullopt;
}

void Walker::record(int task, Clock::time_point start, Clock::time_point moving,
                    Clock::time_point end, Duration cpu) {
  const Task& which = list_.tasks[at(task)];
  const Call& from = call(task);
  Span span;
  span.info = first_info_[from.body.index()] + which.place;
  span.start = since(origin_, start);
  span.moving = since(origin_, moving);
  span.end = since(origin_, std::max(moving, end));
  span.layer = layer_of(from, which.iteration);
  span.micro_batch = from.micro_batch;
  span.chunk = static_cast<std::int16_t>(from.chunk);
  span.bucket = static_cast<std::int16_t>(from.bucket);
  walked_.spans.push_back(span);
  walked_.cpu.push_back(cpu);
}

}  // namespace quintet::engine
