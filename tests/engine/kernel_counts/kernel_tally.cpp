#include "tests/engine/kernel_counts/kernel_tally.h"

#include <utility>

namespace quintet::engine::test {

namespace {

void add(KernelTally& to, const KernelTally& from, double times) {
  for (const auto& [key, sum] : from) {
    KernelSum& total = to[key];
    total.calls += times * sum.calls;
    total.launches += times * sum.launches;
    total.bytes += times * sum.bytes;
  }
}

Model narrow(Model model) {
  model.heads = 2;
  model.kv_heads = model.kv_heads < model.heads ? 1 : 2;
  model.head_dim = 64;
  model.hidden = 128;
  model.feed_forward = 256;
  model.vocabulary = 128;
  model.layers = 1;
  return model;
}

using CallKind = std::pair<Pass, std::string>;

// Kernels that a call of this kind starts.
Result<std::map<CallKind, double>> launches_per_call(const Model& model) {
  auto log = counted_step(narrow(model), {}, emulated_device);
  if (!log) return log.error();
  std::map<CallKind, KernelSum> sums;
  for (const auto& [key, sum] : tally_of(*log)) {
    sums[{key.pass, key.name}].calls += sum.calls;
    sums[{key.pass, key.name}].launches += sum.launches;
  }
  std::map<CallKind, double> each;
  for (const auto& [kind, sum] : sums) each[kind] = sum.launches / sum.calls;
  return each;
}

Result<KernelTally> small_step(Model model, Sequences sequences, int layers, int micro_batches) {
  model.layers = layers;
  sequences.micro_batches = micro_batches;
  auto log = counted_step(std::move(model), sequences, untouched_device);
  if (!log) return log.error();
  return tally_of(*log);
}

}  // namespace

KernelTally tally_of(const CallLog& log) {
  KernelTally tally;
  Pass pass = Pass::forward;
  for (const CountedCall& call : log.calls) {
    if (call.name == "embedding_forward") pass = Pass::forward;
    if (call.name == "cross_entropy") pass = Pass::loss;
    if (call.name == "squared_norm") pass = Pass::update;
    KernelSum& sum = tally[{pass, call.name, call.size}];
    ++sum.calls;
    sum.launches += static_cast<double>(call.launches);
    sum.bytes += call.bytes;
    if (pass == Pass::loss) pass = Pass::backward;
  }
  return tally;
}

Result<KernelTally> step_tally(const Model& model, Sequences sequences) {
  const auto launches = launches_per_call(model);
  if (!launches) return launches.error();
  // f(l, m) = f(1,1) + (l-1) (f(2,1) - f(1,1)) + (m-1) (f(1,2) - f(1,1))
  //           + (l-1) (m-1) (f(2,2) - f(2,1) - f(1,2) + f(1,1)), by what each of the four counts
  //           for
  const double more_layers = model.layers - 1, more_batches = sequences.micro_batches - 1;
  KernelTally whole;
  for (const int layers : {1, 2})
    for (const int batches : {1, 2}) {
      const double times = (layers == 1 ? 1 - more_layers : more_layers) *
                           (batches == 1 ? 1 - more_batches : more_batches);
      if (times == 0) continue;
      const auto small = small_step(model, sequences, layers, batches);
      if (!small) return small.error();
      add(whole, *small, times);
    }
  for (auto& [key, sum] : whole) {
    const auto each = launches->find({key.pass, key.name});
    if (each != launches->end()) sum.launches = each->second * sum.calls;
  }
  std::erase_if(whole, [](const auto& each) { return each.second.calls < 0.5; });
  return whole;
}

}  // namespace quintet::engine::test
