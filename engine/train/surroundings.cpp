#include "engine/train/surroundings.h"

#include <fmt/format.h>

#include "engine/nccl/host_id.h"
#include "sim/plan/delivery.h"

namespace quintet::engine {

namespace {

BackendKind backend_of(Delivery delivery) {
  return row_of(delivery).driver == Driver::delegates ? BackendKind::delegates : BackendKind::nccl;
}

bool share_a_device(const Surroundings& surroundings) {
  return surroundings.processor == Processor::gpu && surroundings.ranks_per_device > 1;
}

bool any_by(const BackendKinds& backends, BackendKind kind) {
  return backends.collectives == kind || backends.messages == kind;
}

std::string carried(const BackendKinds& backends) {
  const auto by = [](BackendKind kind) {
    switch (kind) {
      case BackendKind::network:
        return "the network carries";
      case BackendKind::memory:
        return "the memory that they share carries";
      case BackendKind::nccl:
        return "NCCL carries";
      case BackendKind::delegates:
        return "the host, through the network, carries";
    }
    return "";
  };
  if (backends.collectives == backends.messages)
    return std::string(by(backends.collectives)) + " data between them";
  return std::string(by(backends.collectives)) + " collectives, " + by(backends.messages) +
         " messages between stages";
}

std::string where(const Surroundings& surroundings, int ranks) {
  const bool threads = surroundings.ranks == RankKind::threads;
  const std::string are = threads ? "Ranks are threads of this process" : "Ranks are processes";
  if (surroundings.processor == Processor::cpu) return are + " on CPU cores";
  if (ranks == 1) return "On " + surroundings.device;
  if (threads) return are + " that share " + surroundings.device;
  if (share_a_device(surroundings))
    return fmt::format("{}, up to {} on each {}", are, surroundings.ranks_per_device,
                       surroundings.device);
  return are + ", each with " + surroundings.device + " of its own";
}

}  // namespace

void describe(const kernels::Device& device, Surroundings& into) {
  const kernels::DeviceProperties properties = device.properties();
  into.device = properties.name;
  if (!properties.matrix_product.empty())
    into.libraries.push_back("matrix products of " + properties.matrix_product);
  if (!properties.attention.empty())
    into.libraries.push_back("attention of " + properties.attention);
}

BackendKinds backends_of(const TrainingOptions& options, const HostNet& host_net) {
  if (options.ranks == RankKind::threads) return {BackendKind::memory, BackendKind::memory};
  if (options.processor == Processor::cpu) return {};
  switch (options.carry) {
    case Carry::plan:
      return {backend_of(host_net.delivery),
              backend_of(host_net.pipeline_delivery.value_or(host_net.delivery))};
    case Carry::nccl:
      return {BackendKind::nccl, BackendKind::nccl};
    case Carry::host:
      return {BackendKind::delegates, BackendKind::delegates};
  }
  return {};
}

std::string_view name_of(Processor processor) {
  return processor == Processor::cpu ? "cpu" : "gpu";
}

std::string_view name_of(RankKind ranks) {
  return ranks == RankKind::processes ? "processes" : "threads";
}

std::string_view name_of(BackendKind kind) {
  switch (kind) {
    case BackendKind::network:
      return "network";
    case BackendKind::memory:
      return "memory";
    case BackendKind::nccl:
      return "nccl";
    case BackendKind::delegates:
      return "host";
  }
  return "";
}

MeaningOfTimes meaning_of_times(const Surroundings& surroundings) {
  const bool threads = surroundings.ranks == RankKind::threads && surroundings.ranks_per_device > 1;
  if (threads && surroundings.processor == Processor::cpu)
    return {true, false, false,
            "Ranks hand each other memory: losses and the order of what they do hold, but no time "
            "of communication, and with it of a step, is a network's."};
  if (threads)
    return {false, false, false,
            "Ranks share a GPU and hand each other its memory: losses and the order of what they "
            "do hold; kernels of several ranks run beside each other, and no time is a network's."};
  if (!share_a_device(surroundings)) return {};
  if (any_by(surroundings.backends, BackendKind::nccl))
    return {false, false, false, std::string(host_id_caveat())};
  return {false, false, false,
          "Several ranks share a GPU and talk through their host: losses and the order of what "
          "they do hold, but no time of a kernel, a copy or a step is that of GPUs of their own."};
}

std::vector<std::string> place_lines(const Surroundings& surroundings, int ranks) {
  std::string first = where(surroundings, ranks);
  if (ranks > 1) first += "; " + carried(surroundings.backends);
  std::vector<std::string> lines{first + "."};
  if (!surroundings.libraries.empty()) {
    std::string used;
    for (const std::string& library : surroundings.libraries)
      used += (used.empty() ? "With " : "; ") + library;
    lines.push_back(used + ".");
  }
  const MeaningOfTimes times = meaning_of_times(surroundings);
  if (!times.why_not.empty()) lines.push_back(times.why_not);
  return lines;
}

}  // namespace quintet::engine
