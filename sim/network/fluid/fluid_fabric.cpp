#include "sim/network/fluid/fluid_fabric.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "sim/base/digest.h"
#include "sim/base/due_heap.h"
#include "sim/network/fluid/moving_flows.h"
#include "sim/network/fluid/slack_watch.h"

namespace quintet {
namespace {

enum class Stage : std::uint8_t { free, waiting, moving, undisturbed };
enum class Pending : std::uint8_t { no, yes };

struct Flow {
  FlowRequest request;
  double remaining = 0.0;  // at `since`
  double rate = 0.0;
  Instant since;               // of the last change of rate
  std::uint64_t sequence = 0;  // order of starting
  Stage stage = Stage::free;
};

double load(const Usage& usage, double work) {
  return work * usage.per_unit * static_cast<double>(usage.count);
}

double still_to_move(const Flow& flow, Instant now) {
  if (flow.rate == 0.0 || flow.since == now) return flow.remaining;
  return std::max(0.0, flow.remaining - flow.rate * seconds(now - flow.since).value);
}

// None where the flow stands still.
std::optional<Instant> end_of(const Flow& flow) {
  if (flow.remaining == 0.0) return flow.since;
  if (flow.rate == 0.0) return std::nullopt;
  return flow.since + Seconds{flow.remaining / flow.rate};
}

}  // namespace

// The life of a flow:
//
//   start --- its latency ---> move --- its work, at the rates of each settle ---> finish, leave
//         waiting                    moving                                        its slot is free
//
// Both ends of a flow's present stage are entries of `due`, and the one wake in the queue is for
// the first of these. An undisturbed flow is not among them: its rate is known when it starts, and
// so is its end, an event of its own.
struct FluidFabric::State {
  EventQueue& events;
  Solver solver;
  MovingFlows sharing;
  SlackWatch watch;
  std::vector<Flow> flows;  // slots
  std::vector<std::int32_t> free_slots;
  std::vector<double> carried;  // per link, by flows that are done
  DueHeap due;                  // the end of the latency, or of the work
  struct Wake {
    Instant when;
    EventId event;
  };
  std::optional<Wake> next_wake;  // in the queue, when the first of `due` is due
  std::uint64_t started = 0;
  std::size_t in_flight = 0;
  Pending settling = Pending::no;
  Pending waking = Pending::no;

  State(EventQueue& queue, std::vector<LinkShare> links, Solver chosen)
      : events(queue),
        solver(chosen),
        sharing(links),
        watch(std::move(links)),
        carried(sharing.links()) {}

  Flow& flow(std::int32_t slot) { return flows[static_cast<std::size_t>(slot)]; }
  double moved(const Flow& flow) const;

  std::int32_t take_slot();
  void start(FlowRequest request);
  void start(MoveRequest request);
  void begin(std::int32_t slot);
  void begin_undisturbed(std::int32_t slot, double rate);
  void plan_wake();
  void wake();
  void move(std::int32_t slot);
  void finish(std::int32_t slot);
  void carry(std::int32_t slot);
  void leave(std::int32_t slot);
  void plan_settle();
  void settle();
  void set_rate(std::int32_t slot, double rate);
};

double FluidFabric::State::moved(const Flow& flow) const {
  const bool moves = flow.stage == Stage::moving ||
                     (flow.stage == Stage::undisturbed && flow.since < events.now());
  return moves ? flow.request.work - still_to_move(flow, events.now()) : 0.0;
}

std::int32_t FluidFabric::State::take_slot() {
  if (free_slots.empty()) {
    flows.emplace_back();
    return static_cast<std::int32_t>(flows.size()) - 1;
  }
  const std::int32_t slot = free_slots.back();
  free_slots.pop_back();
  return slot;
}

void FluidFabric::State::start(FlowRequest request) {
  const std::int32_t slot = take_slot();
  flow(slot).request = std::move(request);
  begin(slot);
}

// Into a slot whose memory is used again: a step has millions of moves.
void FluidFabric::State::start(MoveRequest request) {
  const std::int32_t slot = take_slot();
  FlowRequest& fresh = flow(slot).request;
  if (request.whole.empty())
    fresh.demand.uses = whole_load(request.phases);
  else
    fresh.demand.uses.assign(request.whole.begin(), request.whole.end());
  fresh.demand.weight = request.traffic.weight;
  fresh.demand.priority = request.traffic.priority;
  fresh.demand.bound = request.bound.value;
  fresh.work = request.size.value;
  fresh.latency = request.latency;
  fresh.done = std::move(request.done);
  fresh.presumed_slack = request.presumed_slack;
  const double rate = request.undisturbed ? sharing.rate_alone(fresh.demand) : 0.0;
  if (rate > 0.0)
    begin_undisturbed(slot, rate);
  else
    begin(slot);
}

// Rounded as often as a flow that waits and moves: at the end of its latency and at its own.
void FluidFabric::State::begin_undisturbed(std::int32_t slot, double rate) {
  Flow& fresh = flow(slot);
  fresh.stage = Stage::undisturbed;
  fresh.since = events.now() + fresh.request.latency;
  fresh.remaining = fresh.request.work;
  fresh.rate = rate;
  ++in_flight;
  events.at(*end_of(fresh), [this, slot] { finish(slot); });
}

void FluidFabric::State::begin(std::int32_t slot) {
  Flow& fresh = flow(slot);
  assert(fresh.request.work >= 0.0 && fresh.request.latency.value >= 0.0);
  fresh.sequence = started++;
  fresh.stage = Stage::waiting;
  ++in_flight;
  due.set({events.now() + fresh.request.latency, fresh.sequence, slot});
  if (waking == Pending::no) plan_wake();
}

void FluidFabric::State::plan_wake() {
  if (next_wake && !due.empty() && next_wake->when == due.first().when) return;
  if (next_wake) events.cancel(next_wake->event);
  next_wake.reset();
  if (due.empty()) return;
  const Instant first = due.first().when;
  next_wake = Wake{first, events.at(first, [this] { wake(); })};
}

// Whoever leaves or enters changes the rates of others, so the settle of this instant plans what
// comes next.
void FluidFabric::State::wake() {
  const Instant now = events.now();
  assert(!due.empty() && due.first().when == now);
  next_wake.reset();
  waking = Pending::yes;
  while (!due.empty() && due.first().when <= now) {
    const std::int32_t slot = due.first().slot;
    due.remove(slot);
    if (flow(slot).stage == Stage::waiting && flow(slot).request.work > 0.0) {
      move(slot);
    } else {
      finish(slot);
    }
  }
  waking = Pending::no;
  if (settling == Pending::no) plan_wake();
}

void FluidFabric::State::move(std::int32_t slot) {
  Flow& moving = flow(slot);
  moving.stage = Stage::moving;
  moving.remaining = moving.request.work;
  moving.rate = 0.0;
  moving.since = events.now();
  watch.enter(moving.request.presumed_slack);
  sharing.enter(slot, moving.request.demand);
  plan_settle();
}

void FluidFabric::State::finish(std::int32_t slot) {
  if (flow(slot).stage == Stage::moving) leave(slot);
  if (flow(slot).stage == Stage::undisturbed) carry(slot);
  flow(slot).stage = Stage::free;
  const std::function<void()> done = std::exchange(flow(slot).request.done, nullptr);
  free_slots.push_back(slot);
  --in_flight;
  if (done) done();
}

void FluidFabric::State::carry(std::int32_t slot) {
  for (const Usage& usage : flow(slot).request.demand.uses)
    carried[static_cast<std::size_t>(usage.link)] += load(usage, flow(slot).request.work);
}

void FluidFabric::State::leave(std::int32_t slot) {
  carry(slot);
  sharing.leave(slot);
  watch.leave(flow(slot).request.presumed_slack, flow(slot).rate);
  plan_settle();
}

void FluidFabric::State::plan_settle() {
  if (settling == Pending::yes || !sharing.changed()) return;
  settling = Pending::yes;
  events.at(
      events.now(), [this] { settle(); }, EventClass::settle);
}

void FluidFabric::State::settle() {
  settling = Pending::no;
  switch (solver) {
    case Solver::incremental:
      for (const auto& [slot, rate] : sharing.share_changed()) set_rate(slot, rate);
      break;
    case Solver::from_scratch:
      for (const auto& [slot, rate] : sharing.share_all()) set_rate(slot, rate);
      break;
  }
  watch.judge();
  plan_wake();
}

// A rate that stays leaves the flow as it was: nothing is rounded twice.
void FluidFabric::State::set_rate(std::int32_t slot, double rate) {
  Flow& changed = flow(slot);
  if (changed.rate == rate) return;
  changed.remaining = still_to_move(changed, events.now());
  changed.since = events.now();
  watch.change(changed.request.presumed_slack, rate - changed.rate);
  changed.rate = rate;
  if (const std::optional<Instant> end = end_of(changed)) {
    due.set({*end, changed.sequence, slot});
  } else {
    due.remove(slot);
  }
}

FluidFabric::FluidFabric(EventQueue& events, std::vector<LinkShare> links, Solver solver)
    : state_(std::make_unique<State>(events, std::move(links), solver)) {}

FluidFabric::~FluidFabric() = default;

void FluidFabric::start(MoveRequest request) {
  state_->start(std::move(request));
}

void FluidFabric::start_flow(FlowRequest request) {
  state_->start(std::move(request));
}

void FluidFabric::set_capacity(std::int32_t link, double capacity) {
  state_->sharing.set_capacity(link, capacity);
  state_->watch.set_capacity(link, capacity);
  state_->plan_settle();
}

std::vector<std::int32_t> FluidFabric::overfull() const {
  return state_->watch.overfull();
}

// Who asks does so when all of this instant is settled. What is watched does not act on rates.
std::optional<std::uint64_t> FluidFabric::state() const {
  const Instant now = state_->events.now();
  const auto of = [&](const Flow& flow) {
    Digest digest;
    digest.add(static_cast<std::int32_t>(flow.stage)).add(flow.request.work);
    digest.add(flow.request.demand.bound).add(flow.request.demand.weight);
    for (const Usage& usage : flow.request.demand.uses)
      digest.add(usage.link).add(usage.per_unit).add(usage.count);
    if (flow.stage != Stage::waiting)
      digest.add(flow.since - now).add(flow.remaining).add(flow.rate);
    return digest;
  };
  std::uint64_t sum = state_->in_flight;
  for (const Flow& flow : state_->flows)
    if (flow.stage != Stage::free) sum += of(flow).value();
  for (const DueHeap::Due& due : state_->due.entries())
    sum += of(state_->flow(due.slot)).add(due.when - now).value();
  return sum;
}

std::vector<double> FluidFabric::carried() const {
  std::vector<double> result = state_->carried;
  for (const Flow& flow : state_->flows) {
    const double moved = state_->moved(flow);
    if (moved == 0.0) continue;
    for (const Usage& usage : flow.request.demand.uses)
      result[static_cast<std::size_t>(usage.link)] += load(usage, moved);
  }
  return result;
}

std::size_t FluidFabric::in_flight() const {
  return state_->in_flight;
}

namespace {

template <Solver solver>
std::unique_ptr<Fabric> make(EventQueue& events, std::vector<LinkShare> links) {
  return std::make_unique<FluidFabric>(events, std::move(links), solver);
}

}  // namespace

const FabricRow fabrics::fluid{"fluid", make<Solver::incremental>, true};
const FabricRow fabrics::fluid_from_scratch{"fluid_from_scratch", make<Solver::from_scratch>, true};

}  // namespace quintet
