#include "sim/network/fluid/fluid_fabric.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "sim/base/due_heap.h"
#include "sim/network/fluid/moving_flows.h"
#include "sim/network/fluid/slack_watch.h"

namespace quintet {
namespace {

enum class Stage : std::uint8_t { free, waiting, moving };
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
// the first of these.
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

  std::int32_t take_slot();
  void start(FlowRequest request);
  void start(MoveRequest request);
  void begin(std::int32_t slot);
  void plan_wake();
  void wake();
  void move(std::int32_t slot);
  void finish(std::int32_t slot);
  void leave(std::int32_t slot);
  void plan_settle();
  void settle();
  void set_rate(std::int32_t slot, double rate);
};

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
  fresh.demand.weight = 1.0;
  fresh.demand.bound = request.bound.value;
  fresh.work = request.size.value;
  fresh.latency = request.latency;
  fresh.done = std::move(request.done);
  fresh.presumed_slack = request.presumed_slack;
  begin(slot);
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
  flow(slot).stage = Stage::free;
  const std::function<void()> done = std::exchange(flow(slot).request.done, nullptr);
  free_slots.push_back(slot);
  --in_flight;
  if (done) done();
}

void FluidFabric::State::leave(std::int32_t slot) {
  for (const Usage& usage : sharing.demand(slot).uses)
    carried[static_cast<std::size_t>(usage.link)] += load(usage, flow(slot).request.work);
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

std::vector<double> FluidFabric::carried() const {
  std::vector<double> result = state_->carried;
  for (std::size_t slot = 0; slot < state_->flows.size(); ++slot) {
    const Flow& flow = state_->flows[slot];
    if (flow.stage != Stage::moving) continue;
    const double moved = flow.request.work - still_to_move(flow, state_->events.now());
    for (const Usage& usage : state_->sharing.demand(static_cast<std::int32_t>(slot)).uses)
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
