#include <algorithm>
#include <string>

#include "sim/base/quantity_text.h"
#include "sim/plan/problems/problem_finders.h"

namespace quintet {

namespace {

bool floating(DataType type) {
  switch (type) {
    case DataType::fp32:
    case DataType::tf32:
    case DataType::fp16:
    case DataType::bf16:
    case DataType::fp8:
      return true;
    case DataType::int32:
    case DataType::int8:
      return false;
  }
  return false;
}

// The types that `gpu` has a rate for, as the remedy names them.
std::string usable_types(const GpuSpec& gpu) {
  std::string names;
  for (const PeakRate& peak : gpu.peaks)
    if (floating(peak.type)) names += (names.empty() ? "" : ", ") + std::string(name_of(peak.type));
  return names.empty() ? "give the GPU's peak rates in the topology" : "use one of " + names;
}

void find_float8_problems(const Parallelism& parallelism, Problems& found) {
  const Float8Recipe& recipe = parallelism.float8;
  if (parallelism.compute_type != DataType::fp8 && recipe != Float8Recipe{}) {
    found.push_back({"parallelism.fp8",
                     "products are in " + std::string(name_of(parallelism.compute_type)),
                     "leave it out, or set parallelism.compute_type to fp8"});
    return;
  }
  if (recipe.history < 1)
    found.push_back({"parallelism.fp8.history", "is no number of steps", "use 1 or more"});
  if (recipe.margin < 0)
    found.push_back({"parallelism.fp8.margin", "would cut off what was seen", "use 0 or more"});
  const bool looks_back = recipe.history != Float8Recipe{}.history || recipe.margin != 0;
  if (recipe.scaling != Float8Scaling::delayed && looks_back)
    found.push_back({"parallelism.fp8.history",
                     std::string(name_of(recipe.scaling)) +
                         " scaling looks at no steps before: it has no history and no margin",
                     "leave history and margin out, or set parallelism.fp8.scaling to delayed"});
}

bool holds_gradients(DataType type) {
  return type == DataType::fp32 || type == DataType::bf16 || type == DataType::fp16;
}

}  // namespace

void find_type_problems(DataType compute_type, const Topology& topology, Problems& found) {
  if (!floating(compute_type)) return;  // find_numeric_problems() says so
  for (std::size_t spec = 0; spec < topology.gpu_specs.size(); ++spec) {
    const std::vector<int>& used = topology.gpu_spec_of_host;
    if (std::find(used.begin(), used.end(), static_cast<int>(spec)) == used.end()) continue;
    const GpuSpec& gpu = topology.gpu_specs[spec];
    if (!peak_rate(gpu, compute_type))
      found.push_back({"parallelism.compute_type",
                       gpu.name + " has no peak rate for " + std::string(name_of(compute_type)),
                       usable_types(gpu)});
  }
}

void find_numeric_problems(const Parallelism& parallelism, const Ccl& ccl, Problems& found) {
  if (!floating(parallelism.compute_type))
    found.push_back({"parallelism.compute_type",
                     std::string(name_of(parallelism.compute_type)) + " has no gradients",
                     "use bf16, fp16 or fp32"});
  find_float8_problems(parallelism, found);
  if (!holds_gradients(parallelism.gradient_type))
    found.push_back({"parallelism.gradient_type",
                     "gradients are not accumulated and reduced in " +
                         std::string(name_of(parallelism.gradient_type)),
                     "use fp32, bf16 or fp16"});
  if (parallelism.clipping == Clipping::per_bucket && ccl.bucket == Bytes{})
    found.push_back({"parallelism.clipping", "per-bucket clipping needs buckets",
                     "set ccl.bucket, for example to \"25 MB\""});
  const bool leave_by_micro_batch =
      parallelism.sharding == Sharding::gradients || parallelism.sharding == Sharding::parameters;
  if (parallelism.clipping == Clipping::per_bucket && leave_by_micro_batch &&
      !ccl.overlap_gradients && parallelism.micro_batches > 1)
    found.push_back({"ccl.overlap_gradients",
                     "found false: per-bucket clipping of shared gradients is of each micro-batch, "
                     "and here the buckets of all leave together",
                     "use true, or parallelism.sharding none or optimizer"});
  constexpr Bytes largest_bucket{1e18};
  if (ccl.bucket > largest_bucket)
    found.push_back({"ccl.bucket", "is larger than any memory",
                     "use at most \"1000 PB\", or 0 B for one bucket"});
}

}  // namespace quintet
