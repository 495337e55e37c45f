// The walk's part in communication: what is started, what is under way, what has come.
#include <algorithm>
#include <utility>

#include "engine/executor/thread_time.h"
#include "engine/executor/walker.h"
#include "sim/program/groups.h"

namespace quintet::engine {

bool Walker::start_communication(Readiness& step) {
  bool started = false;
  for (std::size_t lane = 0; lane < step.lanes(); ++lane) {
    if (is_compute_[lane]) continue;
    const std::optional<int> task = step.ready(lane);
    if (!task || is_early(*task, step)) continue;
    started = true;
    if (passes_over(step, *task)) continue;
    if (std::holds_alternative<Copy>(instruction(*task).action)) {
      run_now(step, *task);
      continue;
    }
    const AskingFor asked(place_.recorder(), {steps_, *task});
    take_up(step, *task);
    launch(*task);
  }
  return started;
}

bool Walker::is_early(int task, const Readiness& step) const {
  return place_.on_device() && backend_->queues_all() && !receive_times_.may_start(task, step);
}

// The same number on both sides; a step has one message of each.
std::uint64_t Walker::tag(int chunk, const Situation& where) const {
  return static_cast<std::uint64_t>(chunk) << 32 | static_cast<std::uint64_t>(where.micro_batch);
}

void Walker::launch(int task) {
  Flying flying;
  flying.task = task;
  flying.times.start = Clock::now();
  flying.times.moment = place_.moment();
  const Duration before = thread_time();
  const Instruction& what = instruction(task);
  const Situation where = situation(task);
  if (const auto* const collective = std::get_if<Collective>(&what.action)) {
    CollectiveCall work = work_.begin(*collective, what.block, where);
    const auto uses = static_cast<std::uint64_t>(list_.uses[collective->communicator.index()]);
    work.use = steps_ * uses + static_cast<std::uint64_t>(list_.task(task).use);
    work.stream = place_.stream();
    work.lane = what.lane;
    flying.ticket = backend_->start(work);
  } else if (const auto* const send = std::get_if<Send>(&what.action)) {
    flying.message = work_.outgoing(*send, where);
    flying.ticket = backend_->send({.to = neighbour(program_.grid, rank_, send->axis, send->offset),
                                    .payload = send->payload,
                                    .tag = tag(send->chunk, where),
                                    .message = std::as_const(flying.message).bytes(),
                                    .stream = place_.stream()});
  } else if (const auto* const receive = std::get_if<Receive>(&what.action)) {
    flying.message = work_.incoming();
    flying.ticket =
        backend_->receive({.from = neighbour(program_.grid, rank_, receive->axis, receive->offset),
                           .payload = receive->payload,
                           .tag = tag(receive->chunk, where),
                           .message = flying.message.bytes(),
                           .stream = place_.stream()});
  }
  flying.times.cpu = thread_time() - before;
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

Walker::Failure Walker::collect(Readiness& step, Patience patience) {
  if (flying_.empty()) return std::nullopt;
  std::vector<Ticket> tickets;
  for (const Flying& each : flying_) tickets.push_back(each.ticket);
  const Result<std::vector<Completion>> over = backend_->finished(tickets, patience);
  if (!over) return over.error();
  for (const Completion& each : *over) {
    Flying& flying = flying_[each.place];
    const Duration before = thread_time();
    const AskingFor asked(place_.recorder(), {steps_, flying.task});
    place_.enter(lane(flying.task));
    doing_ = flying.task;
    land(flying);
    finish(step, flying.task);
    flying.times.moving = std::max(each.moving, flying.times.start);
    flying.times.end = each.end;
    flying.times.cpu = flying.times.cpu + (thread_time() - before);
    tell(flying.task, flying.times);
    flying.task = -1;
  }
  std::erase_if(flying_, [](const Flying& each) { return each.task < 0; });
  return std::nullopt;
}

}  // namespace quintet::engine
