// Samples of unequal length: what they need of the rest of the plan, and bins that fit the data.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/base/shown_text.h"
#include "sim/plan/problems/problem_finders.h"

namespace quintet {

namespace {

constexpr const char* stratified_only = "are of stratified draws";

// Whatever has a size of its own for every rank would need one per sample.
void find_what_needs_equal_samples(const Parallelism& parallelism, const Model& model,
                                   Problems& found) {
  const auto refuse = [&](std::string reason, std::string remedy) {
    found.push_back({"parallelism.samples", std::move(reason), std::move(remedy)});
  };
  for (const Axis axis : {Axis::tensor, Axis::context, Axis::expert, Axis::pipeline})
    if (degree(parallelism, axis) > 1)
      refuse(
          "samples of unequal length are dealt to replicas, and messages along other axes have "
          "one size",
          fmt::format("use parallelism.{} 1, or leave samples out", name_of(axis)));
  if (parallelism.attention != AttentionChoice::flash)
    refuse("unfused attention has matrices of one size", "use parallelism.attention flash");
  if (parallelism.compute_type == DataType::fp8)
    refuse("operands in fp8 are cast in one size", "use parallelism.compute_type bf16");
  if (parallelism.offload.activations)
    refuse("inputs of layers are copied to the host in one size",
           "use parallelism.offload.activations false");
  if (model.sliding_window && *model.sliding_window < parallelism.sequence_length)
    refuse("attention's window of " + std::to_string(*model.sliding_window) +
               " keys is not priced for samples of several lengths",
           fmt::format("use parallelism.sequence_length {} or less", *model.sliding_window));
}

bool are_bins(const std::vector<int>& bins, int longest) {
  for (std::size_t i = 0; i < bins.size(); ++i)
    if (bins[i] <= (i == 0 ? 0 : bins[i - 1])) return false;
  return bins.back() == longest;
}

void find_empty_bins(const Parallelism& parallelism, Problems& found) {
  const std::vector<int> bins = bins_of(parallelism), counts = counts_of(parallelism);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const int from = i == 0 ? 0 : bins[i - 1];
    if (counts[i] > 0 && share_between(parallelism.samples.histogram, from, bins[i]) <= 0)
      found.push_back(
          {fmt::format("parallelism.samples.counts[{}]", i),
           fmt::format("asks for {} of {} to {} tokens, of which {} has none", counts[i], from + 1,
                       bins[i], in_quotes(parallelism.samples.lengths)),
           "use 0 there, or other bins"});
  }
}

void find_bin_problems(const Parallelism& parallelism, Problems& found) {
  const Samples& samples = parallelism.samples;
  const std::vector<int> bins = bins_of(parallelism);
  if (!are_bins(bins, parallelism.sequence_length)) {
    found.push_back(
        {"parallelism.samples.bins",
         fmt::format("{} are no ascending lengths up to sequence_length", fmt::join(bins, ", ")),
         fmt::format("end them with {}, each above the one before", parallelism.sequence_length)});
    return;
  }
  const std::vector<int>& counts = samples.counts;
  const bool fit = counts.empty() || counts.size() == bins.size();
  if (!fit)
    found.push_back({"parallelism.samples.counts",
                     fmt::format("are {} for {} bins", counts.size(), bins.size()),
                     "give one for each bin, or none"});
  const auto all = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const bool add_up = counts.empty() || all == parallelism.micro_batch;
  if (fit && !add_up)
    found.push_back(
        {"parallelism.samples.counts",
         fmt::format("add up to {}, and a micro-batch has {} samples", all,
                     parallelism.micro_batch),
         fmt::format("set parallelism.micro_batch to {}", std::max<std::int64_t>(1, all))});
  if (fit && add_up) find_empty_bins(parallelism, found);
}

void find_presort_problems(const Plan& plan, const Topology& topology, Problems& found) {
  const Parallelism& parallelism = plan.parallelism;
  const std::string field = "parallelism.load_balance";
  if (parallelism.load_balance == LoadBalance::none) return;
  const std::string name(name_of(parallelism.load_balance));
  if (!parallelism.samples.vary())
    return found.push_back({field, name + " deals samples by length, and all have one",
                            "set parallelism.samples.lengths, or use none"});
  if (parallelism.samples.draw == SampleDraw::packed)
    found.push_back({field, "rows that are packed full have nothing to be presorted by",
                     "use none, or parallelism.samples.draw random"});
  if (parallelism.load_balance != LoadBalance::presort_in_host || topology.hosts.empty()) return;
  const int places = static_cast<int>(topology.hosts.front().gpus.size());
  const int group = presort_ranks(parallelism, places);
  if (places < 2)
    found.push_back({field, "hosts of this machine have one place each: nobody to deal with",
                     "use presort-globally, or none"});
  else if (parallelism.data % group != 0)
    found.push_back({field,
                     fmt::format("{} replicas do not fill hosts of {}", parallelism.data, places),
                     fmt::format("use parallelism.data {}", parallelism.data / group * group)});
  if (!plan.intra_inter.placement.empty())
    found.push_back({field, "a host's ranks are taken to be neighbours, which placement changes",
                     "leave intra_inter.placement out"});
}

}  // namespace

void find_sample_problems(const Plan& plan, const Model& model, const Topology& topology,
                          Problems& found) {
  const Parallelism& parallelism = plan.parallelism;
  const Samples& samples = parallelism.samples;
  find_presort_problems(plan, topology, found);
  if (!samples.vary()) return;
  find_what_needs_equal_samples(parallelism, model, found);
  if (samples.draw != SampleDraw::stratified && !samples.bins.empty())
    found.push_back({"parallelism.samples.bins", stratified_only,
                     "leave them out, or set parallelism.samples.draw to stratified"});
  if (samples.draw != SampleDraw::stratified && !samples.counts.empty())
    found.push_back({"parallelism.samples.counts", stratified_only,
                     "leave them out, or set parallelism.samples.draw to stratified"});
  const auto longest = static_cast<std::size_t>(parallelism.sequence_length);
  if (samples.histogram.empty() || samples.histogram.share.size() > longest)
    found.push_back({"parallelism.samples.lengths",
                     in_quotes(samples.lengths) + " was not read for this sequence_length",
                     "read the plan with its lengths (sim/asked/sample_lengths.h)"});
  else if (samples.draw == SampleDraw::stratified)
    find_bin_problems(parallelism, found);
}

}  // namespace quintet
