// Steps so large that a walk through all their instructions would take minutes and gigabytes. No
// plan that anyone trains with comes near: 2,048 micro-batches of Llama 3.1 405B's 126 layers fit.
#include <fmt/format.h>

#include <cmath>

#include "sim/base/quantity_text.h"
#include "sim/model/parameters.h"
#include "sim/plan/problems/problem_finders.h"

namespace quintet {

namespace {

constexpr std::int64_t most_layer_runs = 1 << 18;  // micro-batches times layers: half a minute
constexpr double most_buckets = 1 << 16;           // of a rank

void find_micro_batch_problem(const Parallelism& parallelism, const Model& model, Problems& found) {
  const std::int64_t most = std::max<std::int64_t>(1, most_layer_runs / model.layers);
  if (parallelism.micro_batches <= most) return;
  found.push_back(
      {"parallelism.micro_batches",
       fmt::format("{} micro-batches of {} layers are more than {} passes of a layer",
                   parallelism.micro_batches, model.layers, most_layer_runs),
       fmt::format("use {} or less, for example with a larger parallelism.micro_batch", most)});
}

void find_bucket_problem(const Parallelism& parallelism, const Ccl& ccl, const Model& model,
                         Problems& found) {
  const double ranks = parallelism.tensor * static_cast<double>(parallelism.pipeline);
  const Bytes gradients =
      static_cast<double>(total_parameters(model)) / ranks * size_of(parallelism.gradient_type);
  const Bytes least{std::ceil(gradients.value / most_buckets)};
  if (!(ccl.bucket > Bytes{} && ccl.bucket < least)) return;
  found.push_back(
      {"ccl.bucket",
       fmt::format("\"{}\" cuts the {} of a rank's gradients into more than {} buckets",
                   text(ccl.bucket), text(Bytes{std::ceil(gradients.value)}), most_buckets),
       fmt::format("use 0 B (one bucket), or \"{}\" or more", text(least))});
}

}  // namespace

void find_size_problems(const Parallelism& parallelism, const Ccl& ccl, const Model& model,
                        Problems& found) {
  find_micro_batch_problem(parallelism, model, found);
  find_bucket_problem(parallelism, ccl, model, found);
}

}  // namespace quintet
