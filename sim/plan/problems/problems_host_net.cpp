#include <fmt/format.h>

#include <string>

#include "sim/plan/delivery.h"
#include "sim/plan/problems/problem_finders.h"

namespace quintet {

namespace {

bool has_delegates(Delivery delivery) {
  return row_of(delivery).driver == Driver::delegates;
}

// "direct or staged"
std::string words_of(Driver driver) {
  std::string words;
  for (const DeliveryRow& row : delivery_rows())
    if (row.driver == driver) words += fmt::format("{}{}", words.empty() ? "" : " or ", row.name);
  return words;
}

}  // namespace

void find_host_net_problems(const HostNet& host_net, const Parallelism& parallelism,
                            Problems& found) {
  if (host_net.queue_pairs < 1)
    found.push_back(
        {"host_net.queue_pairs", fmt::format("is {}", host_net.queue_pairs), "use 1 or more"});
  const Delivery pipeline = host_net.pipeline_delivery.value_or(host_net.delivery);
  const bool delegated = has_delegates(pipeline) || has_delegates(host_net.delivery);
  const std::string delegating = words_of(Driver::delegates);
  if (delegated && host_net.delegates < 1)
    found.push_back({"host_net.delegates",
                     fmt::format("{} delivery has nobody to delegate to", delegating),
                     fmt::format("use 1 or more, or delivery {}", words_of(Driver::kernels))});
  // Micro-batch m is handled by delegate m mod D (PipeMorph, arXiv 2504.19232).
  else if (has_delegates(pipeline) && parallelism.pipeline > 1 &&
           parallelism.micro_batches % host_net.delegates != 0)
    found.push_back({"host_net.delegates",
                     fmt::format("{} micro-batches cannot be dealt evenly to {} delegates",
                                 parallelism.micro_batches, host_net.delegates),
                     use_one_of(divisors(parallelism.micro_batches))});
  if (!delegated && host_net.delegates != 1)
    found.push_back({"host_net.delegates",
                     fmt::format("only {} delivery has delegates", delegating),
                     fmt::format("use 1, or delivery or pipeline_delivery {}", delegating)});
}

}  // namespace quintet
