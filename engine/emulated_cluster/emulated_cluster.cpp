#include "engine/emulated_cluster/emulated_cluster.h"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <csignal>

#include "engine/emulated_cluster/brake.h"
#include "engine/emulated_cluster/commands.h"
#include "engine/emulated_cluster/delay_line.h"
#include "engine/emulated_cluster/layout.h"
#include "engine/emulated_cluster/namespaces.h"
#include "engine/emulated_cluster/running_hosts.h"
#include "engine/launch/process.h"

namespace quintet::engine {

struct EmulatedCluster::Inside {
  ClusterLayout layout;
  NetworkPrograms tools;
  std::unique_ptr<Namespaces> namespaces;
  std::unique_ptr<DelayLine> delay_line;  // none: no cable is delayed
  Seconds delayed_from;
  std::vector<LinkId> links;
  struct Started {
    std::size_t rank = 0;
    StartedProcess process;
    std::unique_ptr<Brake> brake;  // none: runs freely
  };
  std::vector<std::unique_ptr<Started>> started;  // brakes look at the processes where they are

  std::optional<Error> run(std::size_t space, const std::string& tool, const std::string& lines);
  std::optional<Error> make_interfaces();
  std::optional<Error> make_network();
  std::optional<Error> make_delays();
  Result<PacketRing> ring_at(std::size_t cable, std::size_t end) const;
  Result<CablePlace> built(LinkId link) const;
  Result<CableEnd> switch_end(LinkId link) const;
};

namespace {

std::vector<SpaceRequest> requests_for(const ClusterLayout& layout) {
  std::vector<SpaceRequest> requests;
  for (const ClusterSpace& space : layout.spaces)
    requests.push_back({space.name, space.host.valid() ? SpaceKind::host : SpaceKind::network});
  if (has_wires(layout)) requests.push_back({"wires", SpaceKind::network});
  return requests;
}

// Room for what is on its way, as full packets.
RingSize ring_size(const ClusterLayout& layout, const CableEnd& end) {
  constexpr double most = 8192;
  const double on_its_way = end.rate.value * (end.delay + end.more).value / layout.payload;
  return {static_cast<std::size_t>(std::min(256 + on_its_way, most)), largest_packet(layout)};
}

}  // namespace

std::optional<Error> EmulatedCluster::Inside::run(std::size_t space, const std::string& tool,
                                                  const std::string& lines) {
  if (lines.empty()) return std::nullopt;
  const Result<std::string> output = namespaces->output_of(space, {tool, "-batch", "-"}, lines);
  if (!output) return output.error();
  return std::nullopt;
}

std::optional<Error> EmulatedCluster::Inside::make_interfaces() {
  std::vector<pid_t> processes;
  for (std::size_t space = 0; space < layout.spaces.size() + (has_wires(layout) ? 1 : 0); ++space)
    processes.push_back(namespaces->process(space));
  return run(0, tools.ip, interface_lines(layout, processes));
}

// A queue that is added to an interface whose other end is up carries from then on; added before,
// it would drop what comes until the kernel has noticed, some time after we are done.
std::optional<Error> EmulatedCluster::Inside::make_network() {
  for (std::size_t space = 0; space < layout.spaces.size(); ++space)
    if (auto error = run(space, tools.ip, network_lines(layout, space))) return error;
  if (has_wires(layout))
    if (auto error = run(layout.spaces.size(), tools.ip, wire_lines(layout))) return error;
  for (std::size_t space = 0; space < layout.spaces.size(); ++space)
    if (auto error = run(space, tools.tc, shaping_lines(layout, space))) return error;
  return std::nullopt;
}

Result<PacketRing> EmulatedCluster::Inside::ring_at(std::size_t cable, std::size_t end) const {
  Result<Descriptor> socket =
      namespaces->socket_inside(layout.spaces.size(), AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
  if (!socket) return socket.error();
  return PacketRing::open(*std::move(socket), wire_device(cable, end),
                          ring_size(layout, layout.cables[cable].ends[end]));
}

std::optional<Error> EmulatedCluster::Inside::make_delays() {
  if (!has_wires(layout)) return std::nullopt;
  std::vector<DelayedWire> wires;
  for (std::size_t cable = 0; cable < layout.cables.size(); ++cable) {
    if (!layout.cables[cable].delayed()) continue;
    Result<PacketRing> one = ring_at(cable, 0), other = ring_at(cable, 1);
    if (!one) return one.error();
    if (!other) return other.error();
    const auto& ends = layout.cables[cable].ends;
    wires.push_back({{*std::move(one), *std::move(other)}, {ends[0].delay, ends[1].delay}});
  }
  Result<std::unique_ptr<DelayLine>> line = DelayLine::start(std::move(wires));
  if (!line) return line.error();
  delay_line = *std::move(line);
  return std::nullopt;
}

Result<std::unique_ptr<EmulatedCluster>> EmulatedCluster::make(
    const Topology& topology, const std::vector<DeviceId>& slots,
    const EmulatedClusterOptions& options) {
  assert(!slots.empty());
  Result<ClusterLayout> layout = cluster_layout(topology, slots, options);
  if (!layout) return layout.error();
  const Result<NetworkPrograms> tools = find_network_programs();
  if (!tools) return tools.error();
  Result<std::unique_ptr<Namespaces>> namespaces = Namespaces::make(requests_for(*layout));
  if (!namespaces) return namespaces.error();
  auto inside = std::make_unique<Inside>();
  inside->layout = *std::move(layout);
  inside->tools = *tools;
  inside->delayed_from = options.delayed_from;
  inside->namespaces = *std::move(namespaces);
  for (const Cable& cable : inside->layout.cables)
    for (const CableEnd& end : cable.ends) inside->links.push_back(end.link);
  if (auto error = inside->make_interfaces()) return *error;
  if (auto error = inside->make_network()) return *error;
  if (auto error = inside->make_delays()) return *error;
  if (auto error = wait_for_hosts(inside->layout, *inside->namespaces)) return *error;
  return std::unique_ptr<EmulatedCluster>(new EmulatedCluster(std::move(inside)));
}

EmulatedCluster::EmulatedCluster(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}

// A namespace's first process waits for all others to be waited for, and only we can do that.
EmulatedCluster::~EmulatedCluster() {
  for (const std::unique_ptr<Inside::Started>& started : inside_->started) {
    started->brake = nullptr;
    const int handle = started->process.handle.number();
    signal_to(started->process.handle, SIGKILL);
    siginfo_t ignored;
    while (waitid(P_PIDFD, static_cast<id_t>(handle), &ignored, WEXITED) < 0 && errno == EINTR) {
    }
  }
}

const RankPlace& EmulatedCluster::place(Rank rank) const {
  return inside_->layout.places[rank.index()];
}

const std::vector<std::string>& EmulatedCluster::deviations() const {
  return inside_->layout.deviations;
}

const std::vector<LinkId>& EmulatedCluster::links() const {
  return inside_->links;
}

Result<pid_t> EmulatedCluster::start(Rank rank, const ProcessStart& process) {
  const std::size_t space = inside_->layout.space_of_rank[rank.index()];
  Result<StartedProcess> started =
      inside_->namespaces->start(space, process, Namespaces::Inside::everything);
  if (!started) return started.error();
  inside_->started.push_back(std::make_unique<Inside::Started>(
      Inside::Started{rank.index(), *std::move(started), nullptr}));
  return inside_->started.back()->process.process;
}

Result<EmulatedCluster::Listening> EmulatedCluster::listen(Rank rank) {
  return listen(rank, place(rank).address);
}

Result<EmulatedCluster::Listening> EmulatedCluster::listen(Rank rank, const std::string& at) {
  const std::size_t space = inside_->layout.space_of_rank[rank.index()];
  Result<Descriptor> socket = inside_->namespaces->socket_inside(
      space, AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (!socket) return socket.error();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, at.c_str(), &address.sin_addr);
  if (bind(socket->number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket->number(), SOMAXCONN) != 0)
    return Error{"box: " + place(rank).host, "cannot listen: " + system_error(errno)};
  const Result<SocketAddress> known = address_of(*socket);
  if (!known) return known.error();
  return Listening{*std::move(socket), *known};
}

Result<CablePlace> EmulatedCluster::Inside::built(LinkId link) const {
  const std::optional<CablePlace> place = place_of(layout, link);
  if (!place)
    return Error{"box",
                 fmt::format("link {} is on no way between ranks, so it is not there", link.value)};
  return *place;
}

// Down at one end, a cable carries nothing either way. A host's own end stays up, so that its
// programs see what they see when a cable breaks: silence.
Result<CableEnd> EmulatedCluster::Inside::switch_end(LinkId link) const {
  const Result<CablePlace> place = built(link);
  if (!place) return place.error();
  const auto& ends = layout.cables[place->cable].ends;
  return layout.spaces[ends[0].space].host.valid() ? ends[1] : ends[0];
}

std::optional<Error> EmulatedCluster::cut(LinkId link) {
  const Result<CableEnd> end = inside_->switch_end(link);
  if (!end) return end.error();
  return inside_->run(end->space, inside_->tools.ip, "link set " + end->device + " down\n");
}

// Going down, the interface lost its ways.
std::optional<Error> EmulatedCluster::join(LinkId link) {
  const Result<CableEnd> end = inside_->switch_end(link);
  if (!end) return end.error();
  return inside_->run(end->space, inside_->tools.ip,
                      "link set " + end->device + " up\n" + way_lines(inside_->layout, end->space));
}

std::optional<Error> EmulatedCluster::set_rate(LinkId link, Bandwidth rate) {
  const Result<CablePlace> place = inside_->built(link);
  if (!place) return place.error();
  if (!(rate > Bandwidth{})) return Error{"box", "a link's rate must be above 0"};
  const CableEnd& end = inside_->layout.cables[place->cable].ends[place->end];
  return inside_->run(end.space, inside_->tools.tc,
                      shaping_line(Shaping::change, end.device, rate, inside_->layout.payload));
}

// Wires are numbered as make_delays() made them.
std::optional<Error> EmulatedCluster::set_delay(LinkId link, Seconds delay) {
  const Result<CablePlace> place = inside_->built(link);
  if (!place) return place.error();
  const std::vector<Cable>& cables = inside_->layout.cables;
  if (!cables[place->cable].delayed())
    return Error{"box", fmt::format("link {} was made without a delay line; it can have no delay "
                                    "later",
                                    link.value)};
  const auto wire = static_cast<std::size_t>(
      std::count_if(cables.begin(), cables.begin() + static_cast<std::ptrdiff_t>(place->cable),
                    [](const Cable& cable) { return cable.delayed(); }));
  inside_->delay_line->set_delay(wire, place->end,
                                 delay < inside_->delayed_from ? Seconds{} : delay);
  return std::nullopt;
}

std::optional<Error> EmulatedCluster::slow(Rank rank, double share) {
  if (!(share > 0 && share <= 1))
    return Error{
        "box", fmt::format(
                   "a rank may run more than none and at most all of the time, not a share of {:f}",
                   share)};
  for (const std::unique_ptr<Inside::Started>& started : inside_->started) {
    if (started->rank != rank.index()) continue;
    started->brake = nullptr;
    if (share < 1) started->brake = std::make_unique<Brake>(started->process.handle, share);
  }
  return std::nullopt;
}

}  // namespace quintet::engine
