#include "sim/simulate/executor.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <tuple>

#include "sim/cost/kernel_time.h"
#include "sim/program/groups.h"
#include "sim/simulate/actor.h"
#include "sim/simulate/cpu_kernels.h"
#include "sim/simulate/gpu_kernels.h"
#include "sim/simulate/span_infos.h"
#include "sim/simulate/tasks.h"

namespace quintet {

namespace {

struct Waiting {
  std::int32_t actor = 0;
  std::int32_t task = 0;
  Instant since;
  std::int32_t flow = -1;  // messages: the number that send and receive share
};

struct Message {
  std::int32_t number = -1;  // in the order in which they are sent
  bool arrived = false;
  Instant since;
  std::optional<Waiting> receiver;
};

// Axis, the sender's offset, payload, micro-batch, chunk.
using MessageKey = std::tuple<Axis, int, Payload, int, int>;

class Executor {
 public:
  Executor(const ExecutorInput& input, const ExecuteOptions& options)
      : input_(input),
        table_(input.program),
        fabric_(events_, input.world.links, options.solver),
        options_(options),
        kernels_(events_, table_, input.costs, input.world.ranks.size(), finished_kernel()),
        cpu_kernels_(events_, fabric_, table_, input.costs, input.world, finished_kernel()) {
    for (const Role& role : input.program.roles)
      lists_.push_back(task_list(input.program, role, table_));
    issue_ = issue_times(table_, input.costs.launch, input.plan.host_net.launch);
    find_patterns();
    for (const RankClass& each : input.world.ranks)
      actors_.emplace_back(lists_[each.role.index()], table_, issue_, input.costs.launch.queue);
    for (const RankClass& each : input.world.ranks)
      tasks_ += lists_[each.role.index()].tasks.size();
    messages_.resize(actors_.size());
    spans_.resize(actors_.size());
    gaps_.resize(actors_.size());
    woken_.assign(actors_.size(), std::vector<Instant>(input.program.lanes.size(), Instant{-1}));
    meetings_.resize(input.world.groups.size());
  }

  Result<Execution> run() {
    for (std::size_t actor = 0; actor < actors_.size(); ++actor) advance(id(actor));
    const Instant end = events_.run();
    for (std::size_t actor = 0; actor < actors_.size(); ++actor)
      if (!actors_[actor].done()) return stopped(actor, end);
    return collect(end);
  }

 private:
  static std::int32_t id(std::size_t index) { return static_cast<std::int32_t>(index); }
  Actor& actor(std::int32_t index) { return actors_[static_cast<std::size_t>(index)]; }
  const RankClass& rank(std::int32_t index) const {
    return input_.world.ranks[static_cast<std::size_t>(index)];
  }
  const Instruction& instruction(const Task& task) const {
    return *table_.instructions[static_cast<std::size_t>(task.instruction)];
  }
  const Call& call_of(std::int32_t index, const Task& task) const {
    return input_.program.roles[rank(index).role.index()]
        .script.calls[static_cast<std::size_t>(task.call)];
  }

  void find_patterns() {
    for (const Instruction* each : table_.instructions)
      patterns_.push_back(std::visit(
          Match{[&](const Collective& collective) {
                  return pattern_of(input_.communications, collective);
                },
                [&](const Send& send) { return pattern_of(input_.communications, send); },
                [](const Compute&) { return -1; }, [](const Receive&) { return -1; },
                [](const Copy&) { return -1; }, [](const HostWork&) { return -1; }},
          each->action));
  }

  std::function<void(std::int32_t, std::int32_t, Instant)> finished_kernel() {
    return [this](std::int32_t index, std::int32_t task, Instant since) {
      finish({index, task, since}, since);
    };
  }

  bool computes(std::size_t lane) const {
    return input_.program.lanes[lane].kind == LaneKind::compute;
  }

  // Starts all that can start now on one actor. A processor's thread computes itself: between two
  // kernels it starts what can be, communication first (engine/executor/walker.h).
  void advance(std::int32_t index) {
    if (!cpu_kernels_.has(index)) {
      for (std::size_t lane = 0; lane < actor(index).lanes(); ++lane) advance(index, lane);
      return;
    }
    for (const bool kernels : {false, true})
      for (std::size_t lane = 0; lane < actor(index).lanes(); ++lane)
        if (computes(lane) == kernels && !cpu_kernels_.busy(index)) advance(index, lane);
  }

  void advance(std::int32_t index, std::size_t lane) {
    const std::optional<std::int32_t> task = actor(index).ready(lane);
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
    if (computes(lane))
      gaps_[static_cast<std::size_t>(index)].push_back({index, events_.now(), when});
    events_.at(when, [this, index] { advance(index); });
  }

  void begin(std::int32_t index, std::int32_t number) {
    actor(index).start(number);
    const Task& task = actor(index).task(number);
    const Waiting self{index, number, events_.now()};
    std::visit(Match{[&](const Compute&) { begin_kernel(index, number); },
                     [&](const Collective&) { join(self); },
                     [&](const Send& send) { begin_message(self, send); },
                     [&](const Receive& receive) { await_message(self, receive); },
                     [&](const Copy& copy) {
                       finish_after(self, copy_time(copy.size, copy.direction, input_.costs));
                     },
                     [&](const HostWork&) { finish_after(self, input_.costs.launch.synchronise); }},
               instruction(task).action);
  }

  void begin_kernel(std::int32_t index, std::int32_t number) {
    const std::int32_t instruction = actor(index).task(number).instruction;
    if (cpu_kernels_.has(index))
      cpu_kernels_.begin(index, number, instruction);
    else
      kernels_.begin(index, number, instruction);
  }

  void finish_after(const Waiting& self, Seconds time) {
    events_.after(duration(time), [this, self] { finish(self, self.since); });
  }

  // --- collectives ---

  void join(const Waiting& self) {
    const Task& task = actor(self.actor).task(self.task);
    const auto& collective = std::get<Collective>(instruction(task).action);
    const std::int32_t group = rank(self.actor).groups[collective.communicator.index()];
    assert(group >= 0);
    auto& meetings = meetings_[static_cast<std::size_t>(group)];
    if (meetings.size() <= static_cast<std::size_t>(task.ordinal))
      meetings.resize(static_cast<std::size_t>(task.ordinal) + 1);
    std::vector<Waiting>& members = meetings[static_cast<std::size_t>(task.ordinal)];
    members.push_back(self);
    if (members.size() < input_.world.groups[static_cast<std::size_t>(group)].members.size())
      return;
    const auto pattern =
        static_cast<std::size_t>(patterns_[static_cast<std::size_t>(task.instruction)]);
    const std::int32_t transport =
        input_.world.group_transports[static_cast<std::size_t>(group)][pattern];
    move(std::move(members), transport, collective.size, [](const std::vector<Waiting>&) {});
  }

  // Starts the flow for all of `members`; each finishes its task when it has arrived.
  template <class Arrived>
  void move(std::vector<Waiting> members, std::int32_t transport_index, Bytes size,
            Arrived arrived) {
    const Transport& transport = input_.world.transports[static_cast<std::size_t>(transport_index)];
    bool beside_kernels = false;
    for (const Waiting& member : members) {
      beside_kernels |= kernels_.busy(member.actor) || cpu_kernels_.busy(member.actor);
      kernels_.communication_begins(member.actor, transport);
    }
    FlowRequest request;
    request.demand.uses = transport.uses;
    request.demand.bound = transport.bound.value;
    if (beside_kernels) request.demand.bound /= input_.costs.overlap.communication_slowdown;
    request.work = size.value;
    request.latency = transport.latency;
    std::vector<std::int32_t> actors;
    for (const Waiting& member : members) actors.push_back(member.actor);
    const Instant moving = events_.now();
    request.done = [this, members = std::move(members), &transport, moving, arrived] {
      for (const Waiting& member : members) kernels_.communication_ends(member.actor, transport);
      for (const Waiting& member : members) finish(member, moving);
      arrived(members);
    };
    if (transport.crowded > Seconds{})
      start_where_crowded(std::move(request), transport.crowded, std::move(actors));
    else
      fabric_.start(std::move(request));
  }

  // Messages take longer while all cores compute. Whether they do is known when all that happens at
  // this instant has happened: it must not depend on the order of ranks.
  void start_where_crowded(FlowRequest request, Seconds longer, std::vector<std::int32_t> actors) {
    const auto start = [this, longer, request = std::move(request),
                        actors = std::move(actors)]() mutable {
      const bool crowded = std::any_of(actors.begin(), actors.end(), [&](std::int32_t index) {
        return cpu_kernels_.has(index) && cpu_kernels_.crowded(index);
      });
      if (crowded) request.latency += longer;
      fabric_.start(std::move(request));
    };
    events_.at(events_.now(), start, EventClass::settle);
  }

  // --- messages ---

  // By all that a Send and its Receive have in common (program.h); the offset is the sender's.
  Message& message(std::int32_t receiver, const Send& sent, int micro_batch) {
    const MessageKey key{sent.axis, sent.offset, sent.payload, micro_batch, sent.chunk};
    return messages_[static_cast<std::size_t>(receiver)][key];
  }

  // Receivers fetch eagerly (papers.md 4.4): data moves as soon as it is sent.
  void begin_message(const Waiting& self, const Send& send) {
    const Task& task = actor(self.actor).task(self.task);
    const auto pattern =
        static_cast<std::size_t>(patterns_[static_cast<std::size_t>(task.instruction)]);
    const std::int32_t receiver = rank(self.actor).neighbours[pattern];
    assert(receiver >= 0);
    // A reference into the map stays valid while it grows.
    Message& sent = message(receiver, send, call_of(self.actor, task).micro_batch);
    sent.number = next_message_++;
    sent.since = events_.now();
    Waiting sender = self;
    sender.flow = sent.number;
    const std::int32_t transport = rank(self.actor).sends[pattern];
    const Seconds flight = input_.world.transports[static_cast<std::size_t>(transport)].flight;
    move({sender}, transport, send.size, [this, &sent, flight](const std::vector<Waiting>&) {
      events_.after(duration(flight), [this, &sent] { arrive(sent); });
    });
  }

  void arrive(Message& sent) {
    sent.arrived = true;
    if (!sent.receiver) return;
    Waiting receiver = *sent.receiver;
    receiver.flow = sent.number;
    finish(receiver, std::max(sent.since, receiver.since));
  }

  void await_message(const Waiting& self, const Receive& receive) {
    const Task& task = actor(self.actor).task(self.task);
    const Send sent{receive.axis,    -receive.offset, receive.size,
                    receive.payload, receive.chunk,   receive.memory};
    Message& awaited = message(self.actor, sent, call_of(self.actor, task).micro_batch);
    if (!awaited.arrived) {
      awaited.receiver = self;
      return;
    }
    Waiting receiver = self;
    receiver.flow = awaited.number;
    finish_after(receiver, Seconds{});
  }

  // --- results ---

  void finish(const Waiting& self, Instant moving) {
    const Task& task = actor(self.actor).task(self.task);
    const Call& call = call_of(self.actor, task);
    Span span;
    span.info = task.instruction;
    span.track = self.actor;
    span.start = self.since;
    span.moving = moving;
    span.end = events_.now();
    span.layer = task.layer;
    span.micro_batch = call.micro_batch;
    span.chunk = static_cast<std::int16_t>(call.chunk);
    span.bucket = static_cast<std::int16_t>(call.bucket);
    span.flow = self.flow;
    spans_[static_cast<std::size_t>(self.actor)].push_back(span);
    actor(self.actor).finish(self.task, events_.now());
    if (++finished_ % 4096 == 0 && options_.progress)
      options_.progress(static_cast<double>(finished_) / static_cast<double>(tasks_));
    advance(self.actor);
  }

  Error stopped(std::size_t index, Instant end) const {
    const Actor& stuck = actors_[index];
    std::string waiting;
    for (std::size_t lane = 0; lane < stuck.lanes(); ++lane) {
      const std::string& name = input_.program.lanes[lane].name;
      if (const auto running = stuck.running(lane))
        waiting += " " + name + " waits in \"" + instruction(stuck.task(*running)).name + "\";";
      else if (const auto head = stuck.head(lane))
        waiting += " " + name + " waits to start \"" + instruction(stuck.task(*head)).name + "\";";
    }
    return {"program", "rank " + std::to_string(input_.world.ranks[index].shown.value) +
                           " stops at " + std::to_string(seconds(end).value) + " s:" + waiting};
  }

  Execution collect(Instant end) {
    Execution result;
    Timeline& timeline = result.timeline;
    timeline.name = input_.plan.name;
    for (const LaneInfo& lane : input_.program.lanes) timeline.lanes.push_back(lane.name);
    timeline.infos = span_infos(input_.program, input_.communications, patterns_);
    for (std::size_t index = 0; index < actors_.size(); ++index) {
      const RankClass& each = input_.world.ranks[index];
      const Role& role = input_.program.roles[each.role.index()];
      timeline.tracks.push_back({each.shown, each.ranks, role.stage, role.name});
      std::stable_sort(
          spans_[index].begin(), spans_[index].end(),
          [](const Span& left, const Span& right) { return left.start < right.start; });
      timeline.spans.insert(timeline.spans.end(), spans_[index].begin(), spans_[index].end());
      timeline.host_gaps.insert(timeline.host_gaps.end(), gaps_[index].begin(), gaps_[index].end());
      spans_[index] = {};  // a long step has gigabytes of them
    }
    timeline.end = end;
    const std::vector<double> carried = fabric_.carried();
    for (std::size_t link = 0; link < carried.size(); ++link)
      result.loads.push_back(
          {input_.world.shown_links[link], input_.world.link_counts[link], carried[link]});
    result.events = events_.handled();
    return result;
  }

  const ExecutorInput& input_;
  InstructionTable table_;
  EventQueue events_;
  Fabric fabric_;
  const ExecuteOptions& options_;
  GpuKernels kernels_;
  CpuKernels cpu_kernels_;
  std::size_t finished_ = 0;
  std::int32_t next_message_ = 0;
  std::size_t tasks_ = 0;
  std::vector<TaskList> lists_;         // per role
  std::vector<Duration> issue_;         // per instruction
  std::vector<std::int32_t> patterns_;  // per instruction
  std::vector<Actor> actors_;
  // Per actor, as all below; references stay valid as a map grows.
  std::vector<std::map<MessageKey, Message>> messages_;
  std::vector<std::vector<Span>> spans_;
  std::vector<std::vector<HostGap>> gaps_;
  std::vector<std::vector<Instant>> woken_;                  // per lane: the launch waited for
  std::vector<std::vector<std::vector<Waiting>>> meetings_;  // per group and use: who has arrived
};

}  // namespace

Result<Execution> execute(const ExecutorInput& input, const ExecuteOptions& options) {
  return Executor(input, options).run();
}

}  // namespace quintet
