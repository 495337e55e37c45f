#include <string>

#include "sim/plan/problems/problem_finders.h"

namespace quintet {

void find_host_net_problems(const HostNet& host_net, const Parallelism& parallelism,
                            Problems& found) {
  if (host_net.queue_pairs < 1)
    found.push_back(
        {"host_net.queue_pairs", "is " + std::to_string(host_net.queue_pairs), "use 1 or more"});
  const Delivery pipeline = host_net.pipeline_delivery.value_or(host_net.delivery);
  const bool delegated =
      pipeline == Delivery::delegated || host_net.delivery == Delivery::delegated;
  if (delegated && host_net.delegates < 1)
    found.push_back({"host_net.delegates", "delegated delivery has nobody to delegate to",
                     "use 1 or more, or delivery direct or staged"});
  // Micro-batch m is handled by delegate m mod D (PipeMorph, arXiv 2504.19232).
  else if (pipeline == Delivery::delegated && parallelism.pipeline > 1 &&
           parallelism.micro_batches % host_net.delegates != 0)
    found.push_back({"host_net.delegates",
                     std::to_string(parallelism.micro_batches) +
                         " micro-batches cannot be dealt evenly to " +
                         std::to_string(host_net.delegates) + " delegates",
                     use_one_of(divisors(parallelism.micro_batches))});
  if (!delegated && host_net.delegates != 1)
    found.push_back({"host_net.delegates", "only delegated delivery has delegates",
                     "use 1, or delivery or pipeline_delivery delegated"});
}

}  // namespace quintet
