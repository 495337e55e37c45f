#include "engine/executor/walker.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "engine/executor/thread_time.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

Walker::Walker(const Program& program, const Role& role, Rank rank, RankWork& work,
               CommunicationBackend& backend, Workplace& place, MayKeep may_keep)
    : program_(program),
      role_(role),
      rank_(rank),
      work_(work),
      backend_(&backend),
      place_(place),
      table_(program),
      list_(task_list(program, role.script, table_)),
      fences_(list_, table_),
      receive_times_(program, role.script, list_, table_, first_compute_lane(program)) {
  for (const LaneInfo& lane : program.lanes) is_compute_.push_back(lane.kind == LaneKind::compute);
  compute_lane_ = first_compute_lane(program);
  may_keep_ = may_keep == MayKeep::yes;
  place.explain([this] { return undone(); });
}

const Call& Walker::call(int task) const {
  return role_.script.calls[at(list_.task(task).call)];
}

const Instruction& Walker::instruction(int task) const {
  return *table_.instructions[at(list_.task(task).instruction)];
}

Situation Walker::situation(int number) const {
  const Task& task = list_.task(number);
  const Call& from = call(number);
  return {{task.call, list_.iteration(task)}, task.layer, from.micro_batch, from.chunk};
}

std::optional<Error> Walker::queue(const StepInput& input, Clock::time_point origin) {
  assert(queued_.size() < StepEnds::most);
  origin_ = origin;
  walked_ = {};
  flying_.clear();
  timed_.clear();
  host_times_.clear();
  marks_.clear();
  const AskingFor asked(place_.recorder(), {steps_, {}});
  place_.enter(compute_lane_);
  const Clock::time_point began = Clock::now();
  place_.begin_moments();
  work_.take(input);
  Readiness step(list_, table_);
  const StepKind kind{input.targets, StepBatches::sizes(input.micro_batches)};
  const MemoryHold held(place_, holds_memory_);
  if (Failure wrong = queue_step(step, kind)) return wrong;
  place_.enter(compute_lane_);
  work_.end_step();
  doing_ = -1;
  if (may_keep_) check_steadiness();
  last_kind_ = kind;
  queued_.push_back({steps_++, origin, began, launched_, std::move(marks_), std::move(walked_)});
  return std::nullopt;
}

Result<WalkedStep> Walker::finish() {
  const StepResult result = work_.await_step();
  Queued step = std::move(queued_.front());
  queued_.pop_front();
  walked_ = std::move(step.walked);
  walked_.result = result;
  walked_.end = Clock::now();
  origin_ = step.origin;
  add_timed_spans(step);
  if (place_.recorder() != nullptr) add_recorded_spans(step);
  return std::move(walked_);
}

std::optional<Error> Walker::rehearse(const StepInput& input, CommunicationBackend& alone) {
  CommunicationBackend* const with_others = std::exchange(backend_, &alone);
  holds_memory_ = false;
  Failure wrong = queue(input, Clock::now());
  if (!wrong)
    if (const Result<WalkedStep> walked = finish(); !walked) wrong = walked.error();
  backend_ = with_others;
  if (wrong) return wrong;
  holds_memory_ = backend_->queues_all() && world_size(program_.grid) > 1;
  steps_ = 0;
  return std::nullopt;
}

Walker::Failure Walker::run(Readiness& step) {
  while (!step.done()) {
    const bool started = start_communication(step);
    const bool ran = run_kernel(step);
    const bool idle = !started && !ran;
    if (idle && flying_.empty())
      return Error{role_.name, "stands still: an instruction waits for one that never comes"};
    const Patience patience = idle ? Patience::until_one_is_over : Patience::none;
    if (Failure wrong = collect(step, patience)) return wrong;
  }
  return std::nullopt;
}

bool Walker::run_kernel(Readiness& step) {
  for (std::size_t lane = 0; lane < step.lanes(); ++lane) {
    if (!is_compute_[lane]) continue;
    const std::optional<int> ready = step.ready(lane);
    if (!ready) continue;
    run_now(step, *ready);
    return true;
  }
  return false;
}

std::string Walker::doing() const {
  if (doing_ < 0) return "";
  const Situation at = situation(doing_);
  const std::string layer = at.layer < 0 ? "" : fmt::format(" of layer {}", at.layer);
  const std::string micro =
      at.micro_batch < 0 ? "" : fmt::format(", micro-batch {}", at.micro_batch);
  return instruction(doing_).name + layer + micro;
}

// Whether it is in no call of this step; it is over then.
bool Walker::passes_over(Readiness& step, int task) {
  if (work_.is_in_step(call(task))) return false;
  step.start(task);
  step.finish(task);
  return true;
}

// A kernel, or a copy: done, or queued on its lane.
void Walker::run_now(Readiness& step, int task) {
  if (passes_over(step, task)) return;
  Times times;
  times.start = times.moving = Clock::now();
  const Duration before = thread_time();
  const AskingFor asked(place_.recorder(), {steps_, task});
  take_up(step, task);
  times.moment = place_.moment();
  if (const auto* const copy = std::get_if<Copy>(&instruction(task).action))
    work_.copy(*copy, situation(task));
  else
    work_.compute(instruction(task), situation(task));
  finish(step, task);
  times.cpu = thread_time() - before;
  times.end = Clock::now();
  tell(task, times);
}

void Walker::take_up(Readiness& step, int task) {
  doing_ = task;
  place_.enter(lane(task));
  if (place_.on_device()) place_.follow(places_before(task));
  if (step.begins_unit(task)) work_.begin_unit(situation(task));
  step.start(task);
}

// On the device too a message is received no earlier than where it is asked for: behind what is
// computed so far.
Places Walker::places_before(int task) {
  Places before = fences_.before(task);
  if (!std::holds_alternative<Receive>(instruction(task).action)) return before;
  const std::size_t mine = place_.lane();
  place_.enter(compute_lane_);
  include(before, place_.here());
  place_.enter(mine);
  return before;
}

void Walker::finish(Readiness& step, int task) {
  step.finish(task);
  if (place_.on_device()) leave(task);
  if (!step.ends_unit(task)) return;
  const Situation where = situation(task);
  const EndWork end = work_.end_work(where);
  if (end == EndWork::where_backward_works) place_.enter(compute_lane_);
  if (end != EndWork::none && place_.on_device()) place_.follow(fences_.of_unit(task));
  work_.end_unit(where);
  if (end != EndWork::none && place_.on_device()) leave(task);
}

// Whoever waits for it waits for no more: the lane may be far ahead by then.
void Walker::leave(int task) {
  const Places here = place_.here();
  fences_.finished(task, here);
  marks_.push_back({place_.lane(), here[place_.lane()], task});
  if (!is_compute_[place_.lane()] || fences_.awaited(task)) place_.mark();
}

}  // namespace quintet::engine
