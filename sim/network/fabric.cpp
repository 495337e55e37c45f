#include "sim/network/fabric.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "sim/network/due_heap.h"
#include "sim/network/water_fill.h"

namespace quintet {
namespace {

enum class Stage : std::uint8_t { free, waiting, moving };
enum class Change : std::uint8_t { none, pending };

struct Flow {
  FlowRequest request;
  double remaining = 0.0;  // at `since`
  double rate = 0.0;
  Instant since;               // of the last change of rate
  std::uint64_t sequence = 0;  // order of starting
  std::uint64_t visit = 0;     // the settling that last saw it
  Stage stage = Stage::free;
  std::vector<std::int32_t> places;  // per use: where the link's list has this flow
};

struct Crossing {
  std::int32_t flow = 0;
  std::int32_t use = 0;
};

struct Lane {
  std::vector<Crossing> crossings;  // of moving flows
  double carried = 0.0;             // by flows that are done
  std::uint64_t visit = 0;
  std::int32_t number = 0;  // in the problem being filled
  Change change = Change::none;
};

double load(const Usage& usage, double work) {
  return work * usage.per_unit * static_cast<double>(usage.count);
}

double still_to_move(const Flow& flow, Instant now) {
  if (flow.rate == 0.0 || flow.since == now) return flow.remaining;
  return std::max(0.0, flow.remaining - flow.rate * seconds(now - flow.since).value);
}

// None where the flow stands still or would end after the last Instant there is.
std::optional<Instant> end_of(const Flow& flow) {
  constexpr Seconds longest{9e6};
  if (flow.remaining == 0.0) return flow.since;
  const Seconds left{flow.remaining / flow.rate};
  if (!(left < longest)) return std::nullopt;
  return flow.since + left;
}

}  // namespace

struct Fabric::State {
  EventQueue& events;
  std::vector<LinkShare> links;
  Solver solver;
  std::vector<Lane> lanes;  // one per link
  std::vector<Flow> flows;  // slots
  std::vector<std::int32_t> free_slots;
  DueHeap due;  // the end of the latency, or of the work
  WaterFill fill;
  std::vector<std::int32_t> component;      // flows, in the order of the problem being filled
  std::vector<std::int32_t> changed_links;  // since the last settling
  std::vector<std::int32_t> changed_flows;
  std::optional<Instant> next_wake;
  std::uint64_t started = 0;
  std::uint64_t visit = 0;
  std::size_t in_flight = 0;
  Change settling = Change::none;
  Change waking = Change::none;

  State(EventQueue& queue, std::vector<LinkShare> shares, Solver chosen)
      : events(queue), links(std::move(shares)), solver(chosen), lanes(links.size()) {}

  Flow& flow(std::int32_t slot) { return flows[static_cast<std::size_t>(slot)]; }
  Lane& lane(std::int32_t link) { return lanes[static_cast<std::size_t>(link)]; }

  std::int32_t take_slot();
  void start(FlowRequest request);
  void plan_wake();
  void wake();
  void move(std::int32_t slot);
  void finish(std::int32_t slot);
  void leave(const Flow& leaving);
  void mark(std::int32_t link);
  void plan_settle();
  void settle();
  bool alone(const Flow& candidate) const;
  void visit_flow(std::int32_t slot);
  void visit_link(std::int32_t link);
  void share_component();
  void share_all();
  void share_changed();
  void set_rate(std::int32_t slot, double rate);
};

std::int32_t Fabric::State::take_slot() {
  if (free_slots.empty()) {
    flows.emplace_back();
    return static_cast<std::int32_t>(flows.size()) - 1;
  }
  const std::int32_t slot = free_slots.back();
  free_slots.pop_back();
  return slot;
}

void Fabric::State::start(FlowRequest request) {
  assert(request.work >= 0.0 && request.latency.value >= 0.0);
  const std::int32_t slot = take_slot();
  Flow& fresh = flow(slot);
  fresh.request = std::move(request);
  fresh.sequence = started++;
  fresh.stage = Stage::waiting;
  ++in_flight;
  due.set({events.now() + fresh.request.latency, fresh.sequence, slot});
  if (waking == Change::none) plan_wake();
}

// At most one useful wake is in the queue; one that comes after a change to an earlier instant
// finds nothing due.
void Fabric::State::plan_wake() {
  if (due.empty()) return;
  const Instant first = due.first().when;
  if (next_wake && *next_wake <= first) return;
  next_wake = first;
  events.at(first, [this] { wake(); });
}

void Fabric::State::wake() {
  const Instant now = events.now();
  if (next_wake && *next_wake <= now) next_wake.reset();
  waking = Change::pending;
  while (!due.empty() && due.first().when <= now) {
    const std::int32_t slot = due.first().slot;
    due.remove(slot);
    if (flow(slot).stage == Stage::waiting && flow(slot).request.work > 0.0) {
      move(slot);
    } else {
      finish(slot);
    }
  }
  waking = Change::none;
  plan_wake();
}

void Fabric::State::move(std::int32_t slot) {
  Flow& moving = flow(slot);
  moving.stage = Stage::moving;
  moving.remaining = moving.request.work;
  moving.rate = 0.0;
  moving.since = events.now();
  moving.places.clear();
  const std::vector<Usage>& uses = moving.request.demand.uses;
  for (std::size_t use = 0; use < uses.size(); ++use) {
    std::vector<Crossing>& crossings = lane(uses[use].link).crossings;
    moving.places.push_back(static_cast<std::int32_t>(crossings.size()));
    crossings.push_back({slot, static_cast<std::int32_t>(use)});
  }
  changed_flows.push_back(slot);
  plan_settle();
}

void Fabric::State::finish(std::int32_t slot) {
  Flow& ending = flow(slot);
  if (ending.stage == Stage::moving) leave(ending);
  ending.stage = Stage::free;
  const std::function<void()> done = std::exchange(ending.request.done, nullptr);
  free_slots.push_back(slot);
  --in_flight;
  if (done) done();
}

void Fabric::State::leave(const Flow& leaving) {
  const std::vector<Usage>& uses = leaving.request.demand.uses;
  for (std::size_t use = 0; use < uses.size(); ++use) {
    Lane& left = lane(uses[use].link);
    left.carried += load(uses[use], leaving.request.work);
    const Crossing last = left.crossings.back();
    left.crossings.pop_back();
    const auto place = static_cast<std::size_t>(leaving.places[use]);
    if (place == left.crossings.size()) {
      if (!left.crossings.empty()) mark(uses[use].link);
      continue;
    }
    left.crossings[place] = last;
    flow(last.flow).places[static_cast<std::size_t>(last.use)] = leaving.places[use];
    mark(uses[use].link);
  }
}

void Fabric::State::mark(std::int32_t link) {
  if (lane(link).change == Change::pending) return;
  lane(link).change = Change::pending;
  changed_links.push_back(link);
  plan_settle();
}

void Fabric::State::plan_settle() {
  if (settling == Change::pending) return;
  settling = Change::pending;
  events.at(
      events.now(), [this] { settle(); }, EventClass::settle);
}

void Fabric::State::settle() {
  settling = Change::none;
  ++visit;
  switch (solver) {
    case Solver::incremental:
      share_changed();
      break;
    case Solver::from_scratch:
      share_all();
      break;
  }
  for (const std::int32_t link : changed_links) lane(link).change = Change::none;
  changed_links.clear();
  changed_flows.clear();
  plan_wake();
}

bool Fabric::State::alone(const Flow& candidate) const {
  return std::all_of(candidate.request.demand.uses.begin(), candidate.request.demand.uses.end(),
                     [this](const Usage& usage) {
                       return lanes[static_cast<std::size_t>(usage.link)].crossings.size() == 1;
                     });
}

void Fabric::State::share_changed() {
  for (const std::int32_t link : changed_links) {
    if (lane(link).visit == visit) continue;
    visit_link(link);
    share_component();
  }
  for (const std::int32_t slot : changed_flows) {
    const Flow& changed = flow(slot);
    if (changed.stage != Stage::moving || changed.visit == visit) continue;
    if (alone(changed)) {
      set_rate(slot, rate_alone(links, changed.request.demand));
    } else {
      visit_flow(slot);
      share_component();
    }
  }
}

// All components as one problem, so that the two solvers check each other.
void Fabric::State::share_all() {
  for (std::size_t slot = 0; slot < flows.size(); ++slot)
    if (flows[slot].stage == Stage::moving) visit_flow(static_cast<std::int32_t>(slot));
  share_component();
}

void Fabric::State::visit_flow(std::int32_t slot) {
  if (flow(slot).visit == visit) return;
  flow(slot).visit = visit;
  component.push_back(slot);
}

void Fabric::State::visit_link(std::int32_t link) {
  Lane& visited = lane(link);
  if (visited.visit == visit) return;
  visited.visit = visit;
  visited.number = fill.add_link(links[static_cast<std::size_t>(link)]);
  for (const Crossing& crossing : visited.crossings) visit_flow(crossing.flow);
}

// Grows the component along links and flows until it is closed, then fills it.
void Fabric::State::share_component() {
  for (std::size_t next = 0; next < component.size(); ++next) {
    const FlowDemand& demand = flow(component[next]).request.demand;
    fill.add_flow(demand.weight, demand.bound);
    for (const Usage& usage : demand.uses) {
      visit_link(usage.link);
      fill.add_use(lane(usage.link).number, usage);
    }
  }
  const std::span<const double> rates = fill.solve();
  for (std::size_t next = 0; next < component.size(); ++next)
    set_rate(component[next], rates[next]);
  component.clear();
  fill.clear();
}

// A rate that stays leaves the flow as it was: nothing is rounded twice.
void Fabric::State::set_rate(std::int32_t slot, double rate) {
  Flow& sharing = flow(slot);
  if (sharing.rate == rate) return;
  sharing.remaining = still_to_move(sharing, events.now());
  sharing.since = events.now();
  sharing.rate = rate;
  if (const std::optional<Instant> end = end_of(sharing)) {
    due.set({*end, sharing.sequence, slot});
  } else {
    due.remove(slot);
  }
}

Fabric::Fabric(EventQueue& events, std::vector<LinkShare> links, Solver solver)
    : state_(std::make_unique<State>(events, std::move(links), solver)) {}

Fabric::~Fabric() = default;

void Fabric::start(FlowRequest request) {
  state_->start(std::move(request));
}

void Fabric::set_capacity(std::int32_t link, double capacity) {
  state_->links[static_cast<std::size_t>(link)].capacity = capacity;
  if (!state_->lane(link).crossings.empty()) state_->mark(link);
}

std::vector<double> Fabric::carried() const {
  std::vector<double> result;
  for (const Lane& lane : state_->lanes) result.push_back(lane.carried);
  for (const Flow& flow : state_->flows) {
    if (flow.stage != Stage::moving) continue;
    const double moved = flow.request.work - still_to_move(flow, state_->events.now());
    for (const Usage& usage : flow.request.demand.uses)
      result[static_cast<std::size_t>(usage.link)] += load(usage, moved);
  }
  return result;
}

std::size_t Fabric::in_flight() const {
  return state_->in_flight;
}

}  // namespace quintet
