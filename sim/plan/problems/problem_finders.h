// The parts of problems(): one per layer, layer 1 in four. Each adds what it finds; none needs
// another to have run, except that all may count on degrees and batch sizes of 1 or more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/plan/problems/problems.h"

namespace quintet {

using Problems = std::vector<Problem>;

// Degrees and batch sizes below 1: nothing else can be judged.
void find_impossible_counts(const Parallelism& parallelism, Problems& found);

// Layer 1: degrees and their order against the machine's slots; what is split against the model's
// numbers; schedule; batch; what is sharded; types and what they need of the GPU; samples of
// unequal length; what waits in the host's memory.
void find_degree_problems(const Parallelism& parallelism, const Topology& topology,
                          Problems& found);
void find_split_problems(const Parallelism& parallelism, const Model& model, Problems& found);
void find_schedule_problems(const Parallelism& parallelism, const Model& model, Problems& found);
void find_size_problems(const Parallelism& parallelism, const Ccl& ccl, const Model& model,
                        Problems& found);
void find_sharding_problems(const Parallelism& parallelism, Problems& found);
void find_replicator_problems(const Parallelism& parallelism, Problems& found);
void find_copy_problems(const Parallelism& parallelism, const Model& model, Problems& found);
void find_type_problems(DataType compute_type, const Topology& topology, Problems& found);
void find_numeric_problems(const Parallelism& parallelism, const Ccl& ccl, Problems& found);
void find_sample_problems(const Plan& plan, const Model& model, const Topology& topology,
                          Problems& found);
void find_offload_problems(const Parallelism& parallelism, Problems& found);
void find_ccl_problems(const Ccl& ccl, const Topology& topology, Problems& found);
void find_intra_inter_problems(const IntraInter& intra_inter, const Parallelism& parallelism,
                               Problems& found);
void find_host_net_problems(const HostNet& host_net, const Parallelism& parallelism,
                            Problems& found);
void find_network_problems(const Network& network, const Topology& topology, Problems& found);

// Beside the layers: what a whole run does.
void find_run_problems(const WholeRun& run, Problems& found);

// World size that cannot overflow; more than 2^40 counts as 2^40.
std::int64_t rank_count(const Parallelism& parallelism);

// "use 1, 2, 3, 4, 6 or 12"
std::string use_one_of(const std::vector<int>& values);
// The divisors of `number`, smallest first, at most 12 of them.
std::vector<int> divisors(int number);

}  // namespace quintet
