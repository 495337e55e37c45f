#include "engine/emulated_cluster/fault_injector.h"

#include <algorithm>
#include <utility>

namespace quintet::engine {
namespace {

std::vector<LinkCondition> healthy(const Topology& topology) {
  std::vector<LinkCondition> conditions;
  for (const Link& link : topology.links) conditions.push_back({link.rate(), link.latency, false});
  return conditions;
}

int most_rank(const FaultPlan& faults) {
  int most = -1;
  for (const Fault& fault : faults.faults) most = std::max(most, fault.rank);
  return most;
}

void add(std::string& failures, const std::optional<Error>& error) {
  if (error) failures += (failures.empty() ? "" : "; ") + error->text();
}

}  // namespace

Result<std::vector<LinkDelay>> most_delays(const Topology& topology, const FaultPlan& faults) {
  std::vector<Fault> delays;
  for (const Fault& fault : faults.faults)
    if (fault.kind == FaultKind::delay) delays.push_back(fault);
  std::vector<Seconds> sums(topology.links.size());
  for (const Fault& fault : delays) {
    const auto conditions = link_conditions(topology, {&fault, 1});
    if (!conditions) return conditions.error();
    for (std::size_t link = 0; link < sums.size(); ++link)
      sums[link] += (*conditions)[link].latency - topology.links[link].latency;
  }
  std::vector<LinkDelay> most;
  for (std::size_t link = 0; link < sums.size(); ++link)
    if (sums[link] > Seconds{}) most.push_back({id_at<LinkId>(link), sums[link]});
  return most;
}

Result<std::vector<std::string>> unfelt(const EmulatedCluster& cluster, const Topology& topology,
                                        const FaultPlan& faults) {
  const std::vector<LinkCondition> before = healthy(topology);
  std::vector<std::string> sentences;
  for (const Fault& fault : faults.faults) {
    if (fault.part.empty()) continue;
    const auto after = link_conditions(topology, {&fault, 1});
    if (!after) return after.error();
    const auto& links = cluster.links();
    const bool felt = std::any_of(links.begin(), links.end(), [&](LinkId link) {
      return before[link.index()] != (*after)[link.index()];
    });
    if (!felt) sentences.push_back(text(fault) + ": on no way between ranks, nobody will feel it");
  }
  return sentences;
}

FaultInjector::FaultInjector(EmulatedCluster& cluster, const Topology& topology, FaultPlan faults,
                             Tell tell)
    : cluster_(cluster),
      topology_(topology),
      faults_(std::move(faults)),
      tell_(std::move(tell)),
      conditions_(healthy(topology)),
      shares_(static_cast<std::size_t>(most_rank(faults_) + 1), 1.0),
      clock_(faults_.faults),
      thread_([this] { run(); }) {}

FaultInjector::~FaultInjector() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

Seconds FaultInjector::now() const {
  return {std::chrono::duration<double>(Clock::now() - begun_).count()};
}

void FaultInjector::step_begins(int step) {
  {
    const std::lock_guard lock(mutex_);
    if (step <= step_) return;
    step_begun_ = Clock::now();
    if (step_ == 0) begun_ = step_begun_;
    step_ = step;
    clock_.begin_step(step, now());
  }
  changed_.notify_one();
}

std::vector<InjectedFault> FaultInjector::injected() const {
  const std::lock_guard lock(mutex_);
  return injected_;
}

void FaultInjector::run() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    const std::vector<FaultTurn> known = step_ == 0 ? std::vector<FaultTurn>{} : clock_.known();
    if (known.empty()) {
      changed_.wait(lock);
      continue;
    }
    const Seconds left = known.front().due - now();
    if (left > Seconds{})
      changed_.wait_for(lock, std::chrono::duration<double>(left.value));
    else
      turn(lock);
  }
}

// What is due. Nobody waits for the tools meanwhile.
void FaultInjector::turn(std::unique_lock<std::mutex>& lock) {
  const std::vector<FaultTurn> turned = clock_.advance(now());
  const std::vector<Fault> wrong = clock_.now_wrong();
  lock.unlock();
  const std::string failures = apply(wrong);
  lock.lock();
  const Seconds at = now();
  const Seconds into{std::chrono::duration<double>(Clock::now() - step_begun_).count()};
  std::vector<InjectedFault> done;
  for (const FaultTurn& each : turned)
    done.push_back({step_, into, at, text(each, faults_.faults), failures});
  injected_.insert(injected_.end(), done.begin(), done.end());
  lock.unlock();
  for (const InjectedFault& each : done)
    if (tell_) tell_(each);
  lock.lock();
}

std::string FaultInjector::apply(const std::vector<Fault>& wrong) {
  const std::string of_links = apply_links(wrong), of_ranks = apply_ranks(wrong);
  return of_links.empty() || of_ranks.empty() ? of_links + of_ranks : of_links + "; " + of_ranks;
}

// What came back first: a link that is down takes neither rate nor delay.
std::string FaultInjector::apply_links(const std::vector<Fault>& wrong) {
  const Result<std::vector<LinkCondition>> wanted = link_conditions(topology_, wrong);
  if (!wanted) return wanted.error().text();
  std::string failures;
  for (const LinkId link : cluster_.links()) {
    const LinkCondition &old = conditions_[link.index()], &fresh = (*wanted)[link.index()];
    const bool first_way = link.value % 2 == 0;  // cutting and joining does both
    if (first_way && old.dead && !fresh.dead) add(failures, cluster_.join(link));
    if (old.rate != fresh.rate) add(failures, cluster_.set_rate(link, fresh.rate));
    if (old.latency != fresh.latency) add(failures, cluster_.set_delay(link, fresh.latency));
    if (first_way && !old.dead && fresh.dead) add(failures, cluster_.cut(link));
  }
  conditions_ = *wanted;
  return failures;
}

std::string FaultInjector::apply_ranks(const std::vector<Fault>& wrong) {
  std::vector<double> shares(shares_.size(), 1.0);
  for (const Fault& fault : wrong)
    if (fault.part.empty()) shares[static_cast<std::size_t>(fault.rank)] *= fault.share;
  std::string failures;
  for (std::size_t rank = 0; rank < shares.size(); ++rank)
    if (shares[rank] != shares_[rank])
      add(failures, cluster_.slow(id_at<Rank>(rank), shares[rank]));
  shares_ = std::move(shares);
  return failures;
}

}  // namespace quintet::engine
