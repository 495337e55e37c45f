#include "engine/command/start_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>

#include "engine/command/run_faults.h"
#include "engine/emulated_cluster/emulated_cluster.h"
#include "engine/emulated_cluster/layout.h"
#include "engine/launch/hosts.h"
#include "engine/launch/rank_identity.h"
#include "engine/launch/rendezvous/network_interface.h"
#include "engine/launch/rendezvous/rendezvous_place.h"
#include "engine/launch/rendezvous/rendezvous_proof.h"
#include "engine/launch/rendezvous/rendezvous_server.h"
#include "sim/base/own_program.h"
#include "sim/intra_inter/placement.h"

extern char** environ;

namespace quintet::engine {

namespace {

constexpr const char* loopback = "127.0.0.1";

// Where ranks live, and where they meet.
struct Home {
  std::unique_ptr<RankStarter> starter;
  std::vector<std::string> addresses;         // of every rank
  std::vector<std::string> machines;          // likewise: whose cores it shares
  SocketAddress rendezvous;                   // port 0: any
  std::vector<Descriptor> listening;          // there already, unless empty
  std::vector<SocketAddress> elsewhere;       // over rank 0's host's other interfaces
  bool emulated = false;                      // ... and on rank 0's host
  std::unique_ptr<FaultInjector> injector{};  // none: nothing goes wrong. Ends before the starter
};

class ClusterStarter final : public RankStarter {
 public:
  explicit ClusterStarter(std::unique_ptr<EmulatedCluster> cluster)
      : cluster_(std::move(cluster)) {}
  Result<pid_t> start(Rank rank, const ProcessStart& process) override {
    return cluster_->start(rank, process);
  }

 private:
  std::unique_ptr<EmulatedCluster> cluster_;
};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

EmulatedClusterOptions cluster_options(const Plan& plan) {
  EmulatedClusterOptions options;
  options.network = plan.network;
  return options;
}

std::vector<DeviceId> emulated_slots(const TrainingInputs& inputs) {
  return slots_of_ranks(inputs.topology, inputs.plan.intra_inter.placement,
                        world_size(inputs.plan.parallelism));
}

// All interfaces of the rank, its own first: as find_interfaces() reads them.
std::string addresses_of(const RankPlace& place) {
  std::string all = place.address;
  for (const std::string& spare : place.spare_addresses) all += "," + spare;
  return all;
}

// The rendezvous, on every interface of rank 0's host.
std::optional<Error> listen_inside(EmulatedCluster& cluster, Home& home) {
  const RankPlace& place = cluster.place(Rank{0});
  std::vector<std::string> addresses = place.spare_addresses;
  addresses.insert(addresses.begin(), place.address);
  for (const std::string& address : addresses) {
    Result<EmulatedCluster::Listening> listening = cluster.listen(Rank{0}, address);
    if (!listening) return listening.error();
    if (home.listening.empty())
      home.rendezvous = listening->address;
    else
      home.elsewhere.push_back(listening->address);
    home.listening.push_back(std::move(listening->socket));
  }
  return std::nullopt;
}

// What the faults of a run will need of its links.
Result<EmulatedClusterOptions> cluster_options(const RanksToStart& ranks) {
  EmulatedClusterOptions options = cluster_options(ranks.inputs.plan);
  if (!ranks.faults) return options;
  Result<std::vector<LinkDelay>> more = most_delays(ranks.inputs.topology, *ranks.faults);
  if (!more) return more.error();
  options.more_delay = std::move(*more);
  return options;
}

// Nobody is told of faults that no rank can feel but here.
Result<std::unique_ptr<FaultInjector>> injector_for(const RanksToStart& ranks,
                                                    EmulatedCluster& cluster) {
  if (!ranks.faults) return std::unique_ptr<FaultInjector>{};
  const auto remarks = unfelt(cluster, ranks.inputs.topology, *ranks.faults);
  if (!remarks) return remarks.error();
  for (const std::string& remark : *remarks) fmt::print("Fault: {}.\n", remark);
  const std::filesystem::path log = ranks.arguments.training.log;
  return std::make_unique<FaultInjector>(cluster, ranks.inputs.topology, *ranks.faults,
                                         [log](const InjectedFault& fault) { keep(fault, log); });
}

Result<Home> emulated_home(const RanksToStart& ranks) {
  const TrainingInputs& inputs = ranks.inputs;
  const Result<EmulatedClusterOptions> options = cluster_options(ranks);
  if (!options) return options.error();
  auto cluster = EmulatedCluster::make(inputs.topology, emulated_slots(inputs), *options);
  if (!cluster) return cluster.error();
  Home home;
  if (const auto wrong = listen_inside(**cluster, home)) return *wrong;
  for (int rank = 0; rank < ranks.world; ++rank)
    home.addresses.push_back(addresses_of((*cluster)->place(Rank{rank})));
  home.emulated = true;
  home.machines.assign(home.addresses.size(), "this");
  auto injector = injector_for(ranks, **cluster);
  if (!injector) return injector.error();
  home.starter = std::make_unique<ClusterStarter>(*std::move(cluster));
  home.injector = *std::move(injector);
  return home;
}

Result<Home> home_on_hosts(const RanksToStart& ranks) {
  const std::string& file = ranks.arguments.hosts;
  const Result<std::vector<HostLine>> hosts = read_hosts(file);
  if (!hosts) return hosts.error();
  Result<std::vector<HostLine>> of_ranks = host_of_ranks(*hosts, ranks.world, file);
  if (!of_ranks) return of_ranks.error();
  std::string wanted = ranks.arguments.address;
  for (const HostLine& host : *hosts)
    if (wanted.empty() && is_this_host(host.name)) wanted = host.address;
  if (wanted.empty())
    return Error{"--address", "is needed to say where this host can be reached, since " + file +
                                  " does not name it"};
  const Result<std::vector<NetworkInterface>> interfaces = find_interfaces(wanted);
  if (!interfaces) return interfaces.error();
  Home home;
  for (const HostLine& host : *of_ranks) {
    home.addresses.push_back(host.address);
    home.machines.push_back(host.name);
  }
  home.rendezvous = {interfaces->front().address, 0};
  home.starter =
      std::make_unique<HostsStarter>(*std::move(of_ranks), words_of(ranks.arguments.ssh));
  return home;
}

Result<Home> home_here(const RanksToStart& ranks) {
  const std::string wanted = ranks.arguments.address.empty() ? loopback : ranks.arguments.address;
  const Result<std::vector<NetworkInterface>> interfaces = find_interfaces(wanted);
  if (!interfaces) return interfaces.error();
  Home home;
  home.addresses.assign(static_cast<std::size_t>(ranks.world), wanted);
  home.machines.assign(home.addresses.size(), "this");
  home.rendezvous = {interfaces->front().address, 0};
  home.starter = std::make_unique<LocalStarter>();
  return home;
}

Result<Home> home_of(const RanksToStart& ranks) {
  if (!ranks.arguments.shape.empty()) return emulated_home(ranks);
  return ranks.arguments.hosts.empty() ? home_here(ranks) : home_on_hosts(ranks);
}

RankIdentity identity_of(const Home& home, Rank rank) {
  const auto here = [&](std::size_t ranks) {
    const auto first = home.machines.begin();
    return static_cast<int>(
        std::count(first, first + static_cast<std::ptrdiff_t>(ranks), home.machines[rank.index()]));
  };
  const std::size_t world = home.machines.size();
  return {rank, static_cast<int>(world), here(rank.index()), here(world), StartedBy::quintet};
}

ProcessStart rank_process(const RanksToStart& ranks, const Home& home, Rank rank,
                          const SocketAddress& rendezvous) {
  const std::string& address = home.addresses[rank.index()];
  ProcessStart process;
  process.arguments = {own_program().string()};
  process.arguments.insert(process.arguments.end(), ranks.command_line.begin(),
                           ranks.command_line.end());
  std::vector<std::string>& environment = process.environment;
  environment = variables_of(identity_of(home, rank));
  environment.push_back(std::string(rendezvous_variable) + "=" + rendezvous.text());
  std::string elsewhere;
  for (const SocketAddress& other : home.elsewhere)
    elsewhere += (elsewhere.empty() ? "" : ",") + other.text();
  environment.push_back(std::string(rendezvous_elsewhere_variable) + "=" + elsewhere);
  environment.push_back(std::string(address_variable) + "=" + address);
  if (home.emulated) environment.push_back(std::string(rendezvous_rank_variable) + "=0");
  environment.push_back("OMP_WAIT_POLICY=passive");  // ranks may share cores
  const std::vector<std::string> own = environment;
  for (char** each = environ; *each; ++each) {
    const std::string inherited = *each;
    const std::string name = inherited.substr(0, inherited.find('=') + 1);
    const bool replaced = std::any_of(own.begin(), own.end(), [&](const std::string& variable) {
      return variable.starts_with(name);
    });
    if (!replaced) environment.push_back(inherited);
  }
  return process;
}

}  // namespace

Result<std::vector<std::string>> deviations_by_emulation(const TrainingInputs& inputs) {
  Result<ClusterLayout> layout =
      cluster_layout(inputs.topology, emulated_slots(inputs), cluster_options(inputs.plan));
  if (!layout) return layout.error();
  return std::move(layout->deviations);
}

Result<int> ranks_here(const RunArguments& arguments, int world) {
  if (arguments.hosts.empty()) return world;
  const Result<std::vector<HostLine>> hosts = read_hosts(arguments.hosts);
  if (!hosts) return hosts.error();
  const Result<std::vector<HostLine>> of_ranks = host_of_ranks(*hosts, world, arguments.hosts);
  if (!of_ranks) return of_ranks.error();
  return static_cast<int>(
      std::count_if(of_ranks->begin(), of_ranks->end(),
                    [](const HostLine& host) { return is_this_host(host.name); }));
}

Result<LaunchEnd> start_ranks(const RanksToStart& ranks) {
  const SignalSource signals;
  Result<Home> home = home_of(ranks);
  if (!home) return home.error();
  const Result<std::string> token = fresh_token();
  if (!token) return token.error();
  RendezvousOptions rendezvous;
  rendezvous.address = home->rendezvous;
  rendezvous.token = *token;
  rendezvous.world = ranks.world;
  const auto server = !home->listening.empty()
                          ? RendezvousServer::start(rendezvous, std::move(home->listening))
                          : RendezvousServer::start(rendezvous);
  if (!server) return server.error();
  if (ranks.about_to_start) ranks.about_to_start();
  LaunchOptions options;
  options.world = ranks.world;
  options.token = *token;
  options.process = [&](Rank rank) {
    return rank_process(ranks, *home, rank, (*server)->address());
  };
  options.before_output = ranks.before_output;
  options.after_output = [&](const std::string& line) {
    if (home->injector) hear(*home->injector, line);
    if (ranks.after_output) ranks.after_output(line);
  };
  const Result<LaunchEnd> end = launch(options, *home->starter, signals);
  if (!end || !home->injector || end->exit != RankExit::done) return end;
  if (const auto wrong =
          add_to_timeline(home->injector->injected(), ranks.arguments.training.timeline))
    return *wrong;
  return end;
}

}  // namespace quintet::engine
