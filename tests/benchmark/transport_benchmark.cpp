// One rank of a small job that times collectives: what transport_shaped.sh runs in every network
// namespace. Every rank prints nothing but rank 0, a line a measurement.
//
//   transport_benchmark RANK WORLD HOST:PORT INTERFACE WIRE_GBPS [tcp|shared|ucx] [SIZE_MB ...]
//
// tcp: our own sockets; ucx: UCX over the same interface by TCP; shared: and by shared memory.
// The token comes from QUINTET_TOKEN. Rank 0 holds the rendezvous at HOST:PORT. RING_ONLY: no other
// algorithms and kinds than the ring all-reduce; SEGMENT_KIB: other segments than the group's.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_place.h"
#include "engine/network/collectives/rank_group.h"

namespace quintet::engine {
namespace {

constexpr Milliseconds patience{120000};
constexpr int repeats = 5;

struct Arguments {
  int rank = 0, world = 1;
  SocketAddress server;
  std::string interface, token;
  double wire_bytes_per_second = 0.0;
  SharedMemory shared_memory = SharedMemory::refuse;
  CarrierChoice carrier = CarrierChoice::by_interface;
  std::vector<double> megabytes{1, 4, 16, 64};
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The processor time of this thread alone: computing goes on for that long however many ranks share
// the machine.
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double process_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Multiplies for so much wall time; returns how much processor time that was.
double compute_for(double seconds) {
  const Clock::time_point start = Clock::now();
  const double before = thread_seconds();
  volatile double value = 1.0;
  while (seconds_since(start) < seconds)
    for (int i = 0; i < 1000; ++i) value = value * 1.0000001;
  return thread_seconds() - before;
}

// A computing rank's share: sleeps where the machine has fewer cores than ranks, as a GPU's host
// does while the GPU computes.
void accelerator_computes_for(double seconds) {
  const timespec time{
      static_cast<time_t>(seconds),
      static_cast<long>((seconds - static_cast<double>(static_cast<time_t>(seconds))) * 1e9)};
  nanosleep(&time, nullptr);
}

class Benchmark {
 public:
  Benchmark(const Arguments& arguments, Transport& transport, RankGroup& group)
      : arguments_(arguments), transport_(transport), group_(group) {}

  // Seconds from the start to the end on this rank, after all ranks were ready.
  double timed(CollectiveCall call) {
    barrier();
    const Clock::time_point start = Clock::now();
    Result<Operation> operation = group_.start(call);
    give_up_on(operation->wait());
    return seconds_since(start);
  }

  enum class Compute { processor, accelerator };
  static void compute(double seconds, Compute where) {
    if (where == Compute::processor)
      compute_for(seconds);
    else
      accelerator_computes_for(seconds);
  }
  double timed_under_compute(CollectiveCall call, double seconds, Compute where) {
    barrier();
    const Clock::time_point start = Clock::now();
    Result<Operation> operation = group_.start(call);
    compute(seconds, where);
    give_up_on(operation->wait());
    return seconds_since(start);
  }
  // More than `seconds` where ranks share cores: a rank may have to wait for its turn to see that
  // its time is over.
  double timed_compute(double seconds, Compute where) {
    barrier();
    const Clock::time_point start = Clock::now();
    compute(seconds, where);
    return seconds_since(start);
  }

  void barrier() {
    std::vector<float> nothing(1);
    Result<Operation> operation = group_.start(
        {.buffer = std::as_writable_bytes(std::span(nothing)), .algorithm = Algorithm::direct});
    give_up_on(operation->wait());
  }

  // The slowest rank's, so that all ranks know the same.
  double slowest(double seconds) {
    auto value = static_cast<float>(seconds);
    Result<Operation> operation =
        group_.start({.buffer = std::as_writable_bytes(std::span(&value, 1)),
                      .reduction = Reduction::maximum,
                      .algorithm = Algorithm::direct});
    give_up_on(operation->wait());
    return static_cast<double>(value);
  }

  // A message from rank 0 to rank 1, who sleeps, and its answer: four threads wake. On a machine
  // that has nothing else to do 400 us are asked.
  void measure_waking() {
    if (arguments_.rank > 1) return;
    std::vector<std::byte> message(64);
    const Rank other{1 - arguments_.rank};
    std::vector<double> round_trips;
    for (int round = 0; round < 50; ++round) {
      Operation receiving = transport_.receive(other, 1, message, patience);
      accelerator_computes_for(2e-3);
      const Clock::time_point start = Clock::now();
      if (arguments_.rank == 1) give_up_on(receiving.wait());
      give_up_on(transport_.send(other, 1, message, patience).wait());
      give_up_on(receiving.wait());
      round_trips.push_back(seconds_since(start));
    }
    if (arguments_.rank == 0)
      std::printf("a message and its answer between ranks that sleep: %.0f us\n",
                  median(round_trips) * 1e6);
  }

  void measure(CollectiveKind kind, Algorithm algorithm, double megabytes) {
    const auto elements = static_cast<std::size_t>(megabytes * 1e6 / 4) / 64 * 64;
    std::vector<float> buffer(elements, 1.0f),
        received(kind == CollectiveKind::all_to_all ? elements : 0);
    const CollectiveCall call{.kind = kind,
                              .buffer = std::as_writable_bytes(std::span(buffer)),
                              .received = std::as_writable_bytes(std::span(received)),
                              .algorithm = algorithm,
                              .within = patience};
    slowest(timed(call));  // connections and memory
    const double processor_before = process_seconds();
    std::vector<double> alone;
    for (int i = 0; i < repeats; ++i) alone.push_back(slowest(timed(call)));
    const double processor = (process_seconds() - processor_before) / repeats;
    const double time = median(alone);
    const double rate =
        static_cast<double>(elements) * 4.0 / time * bus_factor(kind, transport_.world());
    const double idle = exposed(call, time, Compute::accelerator);
    const double busy = exposed(call, time, Compute::processor);
    if (transport_.rank() != Rank{0}) return;
    std::printf(
        "%-14s %-16s %6.2f MB %8.2f ms  bus %7.4f GB/s  %5.1f %% of the wire  exposed under "
        "compute: "
        "%4.1f %% (elsewhere, asleep here) %4.1f %% (on these cores)  rank 0 used %4.1f %% of a "
        "core\n",
        std::string(name_of(kind)).c_str(), std::string(name_of(algorithm)).c_str(), megabytes,
        time * 1e3, rate * 1e-9, 100.0 * rate / arguments_.wire_bytes_per_second, 100.0 * idle,
        100.0 * busy, 100.0 * processor / time);
    std::fflush(stdout);
  }

 private:
  static double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  }

  // What compute of the same length takes longer with the collective under it than without, as a
  // share of the collective's time.
  double exposed(const CollectiveCall& call, double time, Compute where) {
    std::vector<double> together, without;
    const int times = time < 0.03 ? 5 * repeats : repeats;
    for (int i = 0; i < times; ++i) {
      without.push_back(slowest(timed_compute(time, where)));
      together.push_back(slowest(timed_under_compute(call, time, where)));
    }
    return (median(together) - std::max(median(without), time)) / time;
  }

  static void give_up_on(const std::optional<Failure>& failure) {
    if (!failure) return;
    std::fprintf(stderr, "%s\n", failure->text().c_str());
    std::_Exit(1);
  }

  const Arguments& arguments_;
  Transport& transport_;
  RankGroup& group_;
};

int complain(const std::string& text) {
  std::fprintf(stderr, "transport_benchmark: %s\n", text.c_str());
  return 2;
}

int close(Transport& transport) {
  const auto failure = transport.close(patience);
  return failure ? complain(failure->text()) : 0;
}

int run(const Arguments& arguments) {
  std::unique_ptr<RendezvousServer> server;
  if (arguments.rank == 0) {
    RendezvousOptions rendezvous;
    rendezvous.address = arguments.server;
    rendezvous.token = arguments.token;
    rendezvous.world = arguments.world;
    auto started = RendezvousServer::start(rendezvous);
    if (!started) return complain(started.error().text());
    server = *std::move(started);
  }
  TransportOptions options;
  options.ucx = {arguments.interface, arguments.shared_memory};
  options.carrier = arguments.carrier;
  options.join.server = arguments.server;
  options.join.token = arguments.token;
  options.join.rank = Rank{arguments.rank};
  options.join.world = arguments.world;
  const auto transport = Transport::join(options);
  if (!transport) return complain(transport.error().text());
  GroupOptions everyone;
  everyone.name = "everyone";
  for (int rank = 0; rank < arguments.world; ++rank) everyone.members.push_back(Rank{rank});
  if (const char* segment = std::getenv("SEGMENT_KIB"))
    everyone.segment = static_cast<std::size_t>(std::atoi(segment)) * 1024;
  const auto group = RankGroup::make(**transport, everyone);
  if (!group) return complain(group.error().text());
  Benchmark benchmark(arguments, **transport, **group);
  if (arguments.world > 1) benchmark.measure_waking();
  for (const double size : arguments.megabytes)
    benchmark.measure(CollectiveKind::all_reduce, Algorithm::ring, size);
  if (std::getenv("RING_ONLY") != nullptr) return close(**transport);
  const double last = arguments.megabytes.back();
  for (const Algorithm algorithm :
       {Algorithm::tree, Algorithm::halving_doubling, Algorithm::direct})
    benchmark.measure(CollectiveKind::all_reduce, algorithm, last);
  for (const CollectiveKind kind : {CollectiveKind::reduce_scatter, CollectiveKind::all_gather,
                                    CollectiveKind::broadcast, CollectiveKind::reduce})
    benchmark.measure(kind, Algorithm::ring, last);
  benchmark.measure(CollectiveKind::all_to_all, Algorithm::direct, last);
  return close(**transport);
}

}  // namespace
}  // namespace quintet::engine

int main(int count, char** values) {
  using namespace quintet::engine;
  if (count < 6)
    return complain(
        "expected RANK WORLD HOST:PORT INTERFACE WIRE_GBPS [tcp|shared|ucx] [SIZE_MB ...]");
  Arguments arguments;
  arguments.rank = std::atoi(values[1]);
  arguments.world = std::atoi(values[2]);
  const auto address = parse_address(values[3]);
  if (!address) return complain(address.error().text());
  arguments.server = *address;
  arguments.interface = values[4];
  arguments.wire_bytes_per_second = std::atof(values[5]) * 1e9 / 8.0;
  const auto token = token_from_environment();
  if (!token) return complain(token.error().text());
  arguments.token = *token;
  const std::string_view by = count > 6 ? values[6] : "tcp";
  if (by != "tcp" && by != "shared" && by != "ucx")
    return complain("expected tcp, shared or ucx, not " + std::string(by));
  if (by == "shared") arguments.shared_memory = SharedMemory::use;
  if (by != "tcp") arguments.carrier = CarrierChoice::ucx;
  if (count > 7) arguments.megabytes.clear();
  for (int i = 7; i < count; ++i) arguments.megabytes.push_back(std::atof(values[i]));
  return run(arguments);
}
