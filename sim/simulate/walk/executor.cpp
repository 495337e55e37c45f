#include "sim/simulate/walk/executor.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "sim/cost/kernel_time.h"
#include "sim/program/tasks.h"
#include "sim/simulate/walk/actor.h"
#include "sim/simulate/walk/arrivals.h"
#include "sim/simulate/walk/changing_world.h"
#include "sim/simulate/walk/head_of_line.h"
#include "sim/simulate/walk/link_loads.h"
#include "sim/simulate/walk/link_traffic.h"
#include "sim/simulate/walk/matching.h"
#include "sim/simulate/walk/movement.h"
#include "sim/simulate/walk/period_marks.h"
#include "sim/simulate/walk/running_copies.h"
#include "sim/simulate/walk/running_cpu_kernels.h"
#include "sim/simulate/walk/running_gpu_kernels.h"
#include "sim/simulate/walk/standstill.h"
#include "sim/simulate/walk/walk_record.h"
#include "sim/timeline/program_infos.h"

namespace quintet {

namespace {

std::vector<TaskList> task_lists(const Program& program, const InstructionTable& table) {
  std::vector<TaskList> lists;
  for (const Role& role : program.roles) lists.push_back(task_list(program, role.script, table));
  return lists;
}

std::vector<std::size_t> task_counts(const FoldedWorld& world, const std::vector<TaskList>& lists) {
  std::vector<std::size_t> counts;
  for (const RankClass& each : world.ranks) counts.push_back(lists[each.role.index()].tasks.size());
  return counts;
}

std::vector<std::int32_t> kinds_of(const FoldedWorld& world) {
  std::vector<std::int32_t> kinds;
  for (const RankClass& each : world.ranks) kinds.push_back(each.computes);
  return kinds;
}

// All compute alike by the table where nothing else is said.
std::vector<ComputeKind> kinds_of_computing(const ExecutorInput& input) {
  const std::vector<ComputeKind>& kinds = input.communications.computing.kinds;
  return kinds.empty() ? std::vector<ComputeKind>{{&input.costs, 1.0}} : kinds;
}

}  // namespace

// What Walk::Inside holds must have a name outside of this file.
class WalkExecutor {
 public:
  WalkExecutor(const ExecutorInput& input, const ExecuteOptions& options)
      : input_(input),
        table_(input.program),
        events_(input.events),
        fabric_(input.fabric),
        options_(options),
        computing_(kinds_of_computing(input)),
        operators_(input.program),
        kernels_(events_, operators_, computing_, kinds_of(input.world), finished_kernel()),
        cpu_kernels_(events_, fabric_, table_, operators_, computing_, input.costs, input.world,
                     finished_kernel()),
        movement_(events_, fabric_, kernels_, cpu_kernels_, input.costs),
        machine_(input, computing_, kernels_, cpu_kernels_),
        copies_(events_, fabric_, kernels_, input.world),
        meetings_(input.world.groups.size()),
        mailboxes_(input.world.ranks.size()),
        arrivals_(input.world.ranks.size(), input.program.lanes.size()),
        lists_(task_lists(input.program, table_)),
        record_(task_counts(input.world, lists_), input.program.lanes.size()),
        moves_(input.world.prices.size(), 0) {
    for (const ComputeKind& kind : computing_)
      issues_.push_back(issues(table_, kind.costs->launch, input.plan.host_net));
    for (const Instruction* each : table_.instructions)
      patterns_.push_back(pattern_of(input.communications, *each));
    for (const RankClass& each : input.world.ranks)
      actors_.emplace_back(lists_[each.role.index()], table_,
                           issues_[static_cast<std::size_t>(each.computes)], costs_of(each).launch,
                           events_.now());
    for (const std::size_t count : task_counts(input.world, lists_)) tasks_ += count;
    landings_.resize(actors_.size());
    begun_.assign(actors_.size(), std::vector<Instant>(input.program.lanes.size()));
    for (std::size_t actor = 0; actor < actors_.size(); ++actor)
      cpu_kernels_.set_speed(id(actor), computing_[kind_of(actor)].speed);
    woken_.assign(actors_.size(), std::vector<Instant>(input.program.lanes.size(), Instant{-1}));
    if (options.traffic) {
      movement_.note(input.world, noted_);
      copies_.note(noted_);
      axes_.resize(input.world.prices.size());
    }
    if (options.left_out)
      marks_.emplace(WalkState{input.world, events_, fabric_, kernels_, movement_, meetings_,
                               mailboxes_, actors_, begun_, woken_, moves_},
                     lists_, *options.left_out);
  }

  void begin() {
    if (options_.begins) options_.begins({actors_.size(), tasks_});
    machine_.begin();
    for (std::size_t actor = 0; actor < actors_.size(); ++actor) advance(id(actor));
  }

  // Of a walk among others: all that could happen on the queue has happened.
  Result<Execution> ended() {
    for (std::size_t actor = 0; actor < actors_.size(); ++actor)
      if (!actors_[actor].readiness().done())
        return standstill(input_.program, table_, actors_[actor].readiness(),
                          input_.world.ranks[actor].shown, events_.now());
    return collect();
  }

  Result<Execution> run() {
    begin();
    const Instant end = events_.run();
    if (events_.halted()) return Error{"the walk", "was ended before it was over"};
    if (end == end_of_time) return too_long(input_.plan);
    if (input_.may_stand && finished_ < tasks_) return stopped(end);
    for (std::size_t actor = 0; actor < actors_.size(); ++actor)
      if (!actors_[actor].readiness().done())
        return standstill(input_.program, table_, actors_[actor].readiness(),
                          input_.world.ranks[actor].shown, end);
    if (end != completed_)
      throw std::logic_error("an event came after the last task of the step was done");
    return collect();
  }

 private:
  static std::int32_t id(std::size_t index) { return static_cast<std::int32_t>(index); }
  Actor& actor(std::int32_t index) { return actors_[static_cast<std::size_t>(index)]; }
  const RankClass& rank(std::int32_t index) const {
    return input_.world.ranks[static_cast<std::size_t>(index)];
  }
  const CostTable& costs_of(const RankClass& each) const {
    return *computing_[static_cast<std::size_t>(each.computes)].costs;
  }
  const Instruction& instruction(const Task& task) const {
    return *table_.instructions[static_cast<std::size_t>(task.instruction)];
  }
  const Call& call_of(std::int32_t index, const Task& task) const {
    return input_.program.roles[rank(index).role.index()]
        .script.calls[static_cast<std::size_t>(task.call)];
  }

  std::function<void(std::int32_t, std::int32_t, Instant)> finished_kernel() {
    return [this](std::int32_t index, std::int32_t task, Instant since) {
      arrivals_.computed(index, since, events_.now());
      finish({index, task, since}, since);
    };
  }

  std::size_t kind_of(std::size_t actor) const {
    return static_cast<std::size_t>(input_.world.ranks[actor].computes);
  }

  bool computes(std::size_t lane) const {
    return input_.program.lanes[lane].kind == LaneKind::compute;
  }

  // Starts all that can start now on one actor. A processor's thread computes itself: between two
  // kernels it starts what can be, communication first (engine/executor/walker.h).
  void advance(std::int32_t index) {
    if (!cpu_kernels_.has(index)) {
      const Readiness& step = actor(index).readiness();
      for (std::size_t lane = step.next_ready(0); lane < step.lanes();
           lane = step.next_ready(lane + 1))
        advance(index, lane);
      return;
    }
    land_next(index);
    for (const bool kernels : {false, true})
      for (std::size_t lane = 0; lane < input_.program.lanes.size(); ++lane)
        if (computes(lane) == kernels && !cpu_kernels_.busy(index)) advance(index, lane);
  }

  void advance(std::int32_t index, std::size_t lane) {
    const std::optional<std::int32_t> task = actor(index).readiness().ready(lane);
    if (!task) return;
    const std::optional<Instant> issued = actor(index).issued(*task);
    if (!issued) return;
    if (*issued > events_.now())
      wake(index, lane, *issued);
    else
      begin(index, *task);
  }

  // Comes back when the CPU has launched the head of this lane.
  void wake(std::int32_t index, std::size_t lane, Instant when) {
    Instant& woken = woken_[static_cast<std::size_t>(index)][lane];
    if (woken == when) return;
    woken = when;
    if (computes(lane)) record_.add_gap(index, events_.now(), when);
    events_.at(when, [this, index] { advance(index); });
  }

  void begin(std::int32_t index, std::int32_t number) {
    actor(index).start(number);
    const Task& task = actor(index).task(number);
    record_.begin(index, static_cast<std::size_t>(task.lane));
    begun_[static_cast<std::size_t>(index)][static_cast<std::size_t>(task.lane)] = events_.now();
    const Waiting self{index, number, events_.now()};
    const Seconds packing = cpu_kernels_.staging(index, task.instruction);
    if (packing <= Seconds{}) return act(self);
    cpu_kernels_.occupy(index, packing, [this, self] {
      act(self);
      advance(self.actor);
    });
  }

  void act(const Waiting& self) {
    const Task& task = actor(self.actor).task(self.task);
    std::visit(Match{[&](const Compute&) { begin_kernel(self.actor, self.task); },
                     [&](const Collective&) { join(self); },
                     [&](const Send& send) { begin_message(self, send); },
                     [&](const Receive& receive) { await_message(self, receive); },
                     [&](const Copy& copy) { begin_copy(self, copy); },
                     [&](const HostWork&) {
                       finish_after(self, kernels_.costs(self.actor).launch.synchronise);
                     },
                     [&](const Recorded& recorded) { finish_after(self, recorded.time); }},
               instruction(task).action);
  }

  void begin_kernel(std::int32_t index, std::int32_t number) {
    const Task& task = actor(index).task(number);
    const int micro_batch = call_of(index, task).micro_batch;
    if (cpu_kernels_.has(index))
      cpu_kernels_.begin(index, number, task.instruction, micro_batch);
    else
      kernels_.begin(index, number, task.instruction, micro_batch);
  }

  // A processor's thread copies itself.
  void begin_copy(const Waiting& self, const Copy& copy) {
    const auto done = [this, self] { finish(self, self.since); };
    if (!cpu_kernels_.has(self.actor)) return copies_.start(self.actor, copy, done);
    cpu_kernels_.occupy(self.actor, copy_time(copy.size, copy.direction, input_.costs), done);
  }

  void finish_after(const Waiting& self, Seconds time) { finish_after(self, duration(time)); }
  void finish_after(const Waiting& self, Duration time) {
    events_.after(time, [this, self] { finish(self, self.since); });
  }

  std::size_t lane_of(const Waiting& each) {
    return static_cast<std::size_t>(actor(each.actor).task(each.task).lane);
  }

  std::size_t pattern_number(const Task& task) const {
    return static_cast<std::size_t>(patterns_[static_cast<std::size_t>(task.instruction)]);
  }

  std::size_t priced_now(const Task& task) const {
    return machine_.priced_now(instruction(task).action, pattern_number(task));
  }

  // What begins to move now by this price.
  const FoldedPrice& moving(std::int32_t index, Axis axis) {
    if (options_.traffic) axes_[static_cast<std::size_t>(index)] = axis;
    ++moves_[static_cast<std::size_t>(index)];
    return input_.world.prices[static_cast<std::size_t>(index)];
  }

  // The last member to join starts the collective for all.
  void join(const Waiting& self) {
    const Task& task = actor(self.actor).task(self.task);
    const auto& collective = std::get<Collective>(instruction(task).action);
    const std::int32_t group = rank(self.actor).groups[collective.communicator.index()];
    assert(group >= 0);
    const auto place = static_cast<std::size_t>(group);
    const std::size_t number = free_gathering();
    std::vector<Waiting>& members = gatherings_[number];
    if (!meetings_.join(group, task.use, self, input_.world.groups[place].members.size(), members))
      return free_gatherings_.push_back(number);
    const FoldedPrice& path =
        moving(input_.world.group_prices[place][priced_now(task)],
               axis_of(input_.program.communicators[collective.communicator.index()]));
    joining_.clear();
    Seconds later;
    for (const Waiting& member : members) {
      joining_.push_back(member.actor);
      later = std::max(later, arrivals_.lateness(path.price.spread, member.actor, lane_of(member)));
    }
    movement_.start(joining_, path, collective.size, later,
                    [this, number](Instant since) { finish_all(number, since); });
  }

  std::size_t free_gathering() {
    if (free_gatherings_.empty()) {
      gatherings_.emplace_back();
      return gatherings_.size() - 1;
    }
    const std::size_t number = free_gatherings_.back();
    free_gatherings_.pop_back();
    return number;
  }

  // Whoever goes on may gather others meanwhile, which moves gatherings about.
  void finish_all(std::size_t number, Instant moving) {
    for (std::size_t member = 0; member < gatherings_[number].size(); ++member) {
      const Waiting self = gatherings_[number][member];
      finish(self, moving);
    }
    free_gatherings_.push_back(number);
  }

  // Receivers fetch eagerly (Adaptra, arXiv 2504.19232): data moves as soon as it is sent.
  void begin_message(const Waiting& self, const Send& send) {
    const Task& task = actor(self.actor).task(self.task);
    const std::size_t pattern = pattern_number(task);
    const std::int32_t receiver = rank(self.actor).neighbours[pattern];
    assert(receiver >= 0);
    Message& sent =
        mailboxes_.post(receiver, send, call_of(self.actor, task).micro_batch, events_.now());
    Waiting sender = self;
    sender.flow = sent.number;
    const FoldedPrice& path = moving(rank(self.actor).sends[priced_now(task)], send.axis);
    const auto begin = [this, sender, receiver, &send, &sent, &path] {
      hold_back({sender, receiver}, send, sent, path);
    };
    if (takes_turns(input_.plan.host_net, send))
      turns_.take(self.actor, receiver, begin);
    else
      begin();
  }

  struct OnTheWay {
    Waiting sender;
    std::int32_t receiver = 0;
  };

  void hold_back(const OnTheWay& message, const Send& send, Message& sent,
                 const FoldedPrice& path) {
    const auto move = [this, message, &send, &sent, &path] {
      move_message(message, send, sent, path);
      if (!holds_launches(input_.plan.host_net, send)) return;
      actor(message.sender.actor).let_go(message.sender.task, events_.now());
      advance(message.sender.actor);
    };
    if (path.price.held > Seconds{})
      events_.after(duration(path.price.held), move);
    else
      move();
  }

  void move_message(const OnTheWay& message, const Send& send, Message& sent,
                    const FoldedPrice& path) {
    movement_.start({&message.sender.actor, 1}, path, send.size, {},
                    [this, message, &send, &sent, &path](Instant moving) {
                      if (takes_turns(input_.plan.host_net, send))
                        turns_.over(message.sender.actor, message.receiver);
                      finish(message.sender, moving);
                      cpu_kernels_.burden(message.sender.actor, tail_at_each_end());
                      events_.after(duration(path.price.flight),
                                    [this, &sent, receiver = message.receiver] {
                                      cpu_kernels_.burden(receiver, tail_at_each_end());
                                      arrive(sent);
                                    });
                    });
  }

  Seconds tail_at_each_end() const {
    return input_.costs.processors ? 0.5 * input_.costs.processors->message_tail : Seconds{};
  }

  void arrive(Message& sent) {
    const Instant since = sent.since;
    if (const std::optional<Waiting> receiver = mailboxes_.deliver(sent))
      finish(*receiver, std::max(since, receiver->since));
  }

  void await_message(const Waiting& self, const Receive& receive) {
    const Task& task = actor(self.actor).task(self.task);
    const auto number = mailboxes_.await(self, receive, call_of(self.actor, task).micro_batch);
    if (!number) return;
    Waiting receiver = self;
    receiver.flow = *number;
    finish_after(receiver, Seconds{});
  }

  void finish(const Waiting& self, Instant moving) {
    const Task& task = actor(self.actor).task(self.task);
    record_.add(span_of(self, task, call_of(self.actor, task), {moving, events_.now()}),
                static_cast<std::size_t>(task.lane));
    if (cpu_kernels_.staging(self.actor, task.instruction) > Seconds{}) {
      landings_[static_cast<std::size_t>(self.actor)].insert(self.task);
      return advance(self.actor);
    }
    complete(self.actor, self.task);
  }

  // What has arrived is unpacked between kernels, before anything else starts.
  void land_next(std::int32_t index) {
    std::set<std::int32_t>& landings = landings_[static_cast<std::size_t>(index)];
    if (landings.empty() || cpu_kernels_.busy(index)) return;
    const std::int32_t task = landings.extract(landings.begin()).value();
    cpu_kernels_.occupy(index, cpu_kernels_.staging(index, actor(index).task(task).instruction),
                        [this, index, task] { complete(index, task); });
  }

  void complete(std::int32_t index, std::int32_t task) {
    arrivals_.freed(index, lane_of({index, task, {}}), events_.now());
    actor(index).finish(task, events_.now());
    completed_ = events_.now();
    if (++finished_ % 4096 == 0) report();
    if (finished_ == tasks_) {
      machine_.end();
      if (options_.finished) options_.finished();
    }
    if (index == 0 && marks_) marks_->done(task);
    advance(index);
  }

  void report() {
    const double share = static_cast<double>(finished_) / static_cast<double>(tasks_);
    if (options_.progress) options_.progress(share);
    if (options_.goes_on && !options_.goes_on(share)) events_.halt();
  }

  Execution stopped(Instant end) {
    Execution result;
    result.stood_still = end;
    result.events = events_.handled();
    result.standing =
        standing_tasks({input_.program, table_, input_.world, actors_, begun_, meetings_});
    return result;
  }

  Result<Execution> collect() {
    if (!marks_) return collected({});
    const std::optional<Recurrence::Window> window = marks_->window();
    if (!window) return Error{"the walk", "came to no state again"};
    for (std::size_t price = 0; price < moves_.size(); ++price)
      moves_[price] += window->moves[price];
    return collected(window->part);
  }

  Execution collected(const RepeatedPart& repeated) {
    Execution result;
    result.repeated = repeated;
    if (options_.traffic) result.traffic = link_traffic(input_.world, noted_, axes_, repeated);
    result.timeline = std::move(record_).timeline(input_.program, input_.world);
    result.timeline.name = input_.plan.name;
    result.timeline.infos = span_infos(input_.program, input_.communications, patterns_);
    result.timeline.end = completed_;
    result.loads = link_loads(input_.world, moves_, copies_.counts());
    result.events = events_.handled();
    return result;
  }

  const ExecutorInput& input_;
  InstructionTable table_;
  EventQueue& events_;
  Fabric& fabric_;
  const ExecuteOptions& options_;
  std::vector<ComputeKind> computing_;
  RankOperators operators_;
  RunningGpuKernels kernels_;
  RunningCpuKernels cpu_kernels_;
  Movement movement_;
  ChangingWorld machine_;
  RunningCopies copies_;
  Meetings meetings_;
  Mailboxes mailboxes_;
  Turns turns_;
  Arrivals arrivals_;
  std::vector<TaskList> lists_;  // per role
  WalkRecord record_;
  std::vector<std::int64_t> moves_;        // per price: how often
  std::vector<NotedMove> noted_;           // where traffic is wanted
  std::vector<std::optional<Axis>> axes_;  // per price, likewise
  std::size_t finished_ = 0;
  std::size_t tasks_ = 0;
  Instant completed_;                        // the last task that is done
  std::vector<std::vector<Instant>> begun_;  // per actor and lane: its last task
  std::vector<std::vector<Issue>> issues_;   // per kind of computing and instruction
  std::vector<std::int32_t> patterns_;       // per instruction
  std::vector<Actor> actors_;
  std::vector<std::vector<Waiting>> gatherings_;  // members of collectives that move
  std::vector<std::size_t> free_gatherings_;
  std::vector<std::int32_t> joining_;             // kept for its memory
  std::vector<std::set<std::int32_t>> landings_;  // per actor: tasks that await unpacking
  std::vector<std::vector<Instant>> woken_;       // per actor and lane: the launch waited for
  std::optional<PeriodMarks> marks_;              // where periods are left out
};

Result<Execution> execute(const ExecutorInput& input, const ExecuteOptions& options) {
  return WalkExecutor(input, options).run();
}

struct Walk::Inside {
  ExecutorInput input;
  ExecuteOptions options;
  WalkExecutor executor;

  Inside(const ExecutorInput& given, ExecuteOptions wanted)
      : input(given), options(std::move(wanted)), executor(input, options) {}
};

Walk::Walk(const ExecutorInput& input, ExecuteOptions options)
    : inside_(std::make_unique<Inside>(input, std::move(options))) {}

Walk::~Walk() = default;

void Walk::begin() {
  inside_->executor.begin();
}

Result<Execution> Walk::ended() {
  return inside_->executor.ended();
}

}  // namespace quintet
