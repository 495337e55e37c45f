// Every way to split a toy model over ranks, as changes to the one-rank plan of 8 micro-batches.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/toy_steps.h"

namespace quintet::engine::test {

struct Change {
  std::string name;
  std::function<void(Plan&)> change;  // of the one-rank plan of 8 micro-batches
  int vocabulary_multiple = 1;
};

inline void PrintTo(const Change& layout, std::ostream* out) {
  *out << layout.name;
}

inline Parallelism& of(Plan& plan) {
  return plan.parallelism;
}

inline void data(Plan& plan, int ranks) {
  of(plan).data = ranks;
  of(plan).micro_batches = toy_sequences / ranks / of(plan).micro_batch;
}
inline void tensor(Plan& plan, int ranks, bool sequence = false) {
  of(plan).tensor = ranks;
  of(plan).sequence_parallel = sequence;
}
inline void pipeline(Plan& plan, int stages,
                     PipelineSchedule schedule = PipelineSchedule::one_f_one_b) {
  of(plan).pipeline = stages;
  of(plan).schedule = schedule;
  if (schedule == PipelineSchedule::interleaved) of(plan).virtual_stages = 4 / stages;
}
inline void shard(Plan& plan, Sharding sharding, int group = 0) {
  of(plan).sharding = sharding;
  of(plan).sharding_group = group;
}
inline void buckets(Plan& plan, double bytes) {
  plan.ccl.bucket = Bytes{bytes};
}

inline std::vector<Change> layouts() {
  using enum PipelineSchedule;
  using enum Sharding;
  return {
      // each axis alone
      {"dp2", [](Plan& p) { data(p, 2); }},
      {"dp4", [](Plan& p) { data(p, 4); }},
      {"dp8", [](Plan& p) { data(p, 8); }},
      {"dp2 two sequences a micro-batch",
       [](Plan& p) {
         of(p).micro_batch = 2;
         data(p, 2);
       }},
      {"dp4 buckets", [](Plan& p) { data(p, 4), buckets(p, 20e3); }},
      {"dp4 small buckets: layers in pieces", [](Plan& p) { data(p, 4), buckets(p, 7e3); }},
      {"dp2 buckets after backward",
       [](Plan& p) {
         data(p, 2), buckets(p, 20e3);
         p.ccl.overlap_gradients = false;
       }},
      {"tp2", [](Plan& p) { tensor(p, 2); }},
      {"tp4", [](Plan& p) { tensor(p, 4); }},
      {"tp2 padded vocabulary", [](Plan& p) { tensor(p, 2); }, 16},
      {"vocabulary padded to 128", [](Plan&) {}, 128},
      {"tp2 sp", [](Plan& p) { tensor(p, 2, true); }},
      {"tp4 sp", [](Plan& p) { tensor(p, 4, true); }},
      {"pp2", [](Plan& p) { pipeline(p, 2); }},
      {"pp4", [](Plan& p) { pipeline(p, 4); }},
      {"pp2 gpipe", [](Plan& p) { pipeline(p, 2, gpipe); }},
      {"pp4 gpipe", [](Plan& p) { pipeline(p, 4, gpipe); }},
      {"pp2 interleaved", [](Plan& p) { pipeline(p, 2, interleaved); }},
      {"pp2 zb-h1", [](Plan& p) { pipeline(p, 2, zb_h1); }},
      {"pp4 zb-h1", [](Plan& p) { pipeline(p, 4, zb_h1); }},
      {"pp2 zb-h2", [](Plan& p) { pipeline(p, 2, zb_h2); }},
      {"pp4 zb-h2", [](Plan& p) { pipeline(p, 4, zb_h2); }},
      {"pp2 uneven",
       [](Plan& p) {
         pipeline(p, 2);
         of(p).stage_layers = {3, 1};
       }},
      {"pp4 warm-up",
       [](Plan& p) {
         pipeline(p, 4, warm_up);
         of(p).warm_ups = {6, 4, 3, 1};
       }},
      {"pp4 planned for a slow link",
       [](Plan& p) {
         pipeline(p, 4, adapted);
         const Seconds pass{1e-3};
         of(p).stage_times.assign(4, {pass, 1.2 * pass, 0.8 * pass, {}});
         of(p).stage_times[2].delay = 3 * pass;
       }},
      {"pp4 two delegates",
       [](Plan& p) {
         pipeline(p, 4, warm_up);
         of(p).warm_ups = {6, 4, 3, 1};
         p.host_net.pipeline_delivery = Delivery::delegated;
         p.host_net.delegates = 2;
       }},
      {"split backward", [](Plan& p) { of(p).split_backward = true; }},
      // recompute
      {"selective recompute", [](Plan& p) { of(p).recompute = Recompute::selective; }},
      {"full recompute", [](Plan& p) { of(p).recompute = Recompute::full; }},
      {"full recompute of two layers",
       [](Plan& p) {
         of(p).recompute = Recompute::full;
         of(p).recompute_layers = 2;
       }},
      {"tp2 sp full recompute",
       [](Plan& p) {
         tensor(p, 2, true);
         of(p).recompute = Recompute::full;
       }},
      {"pp2 zb-h1 selective recompute",
       [](Plan& p) {
         pipeline(p, 2, zb_h1);
         of(p).recompute = Recompute::selective;
       }},
      // unfused attention, against the fused one of the single rank
      {"unfused", [](Plan& p) { of(p).attention = AttentionChoice::unfused; }},
      {"unfused two sequences a micro-batch dp2",
       [](Plan& p) {
         of(p).attention = AttentionChoice::unfused;
         of(p).micro_batch = 2;
         data(p, 2);
       }},
      {"unfused tp2 sp pp2 zb-h1 selective recompute",
       [](Plan& p) {
         of(p).attention = AttentionChoice::unfused;
         tensor(p, 2, true), pipeline(p, 2, zb_h1);
         of(p).recompute = Recompute::selective;
       }},
      {"unfused full recompute",
       [](Plan& p) {
         of(p).attention = AttentionChoice::unfused;
         of(p).recompute = Recompute::full;
       }},
      // ZeRO
      {"zero1 dp2", [](Plan& p) { data(p, 2), shard(p, Sharding::optimizer); }},
      {"zero1 dp4 buckets gathered at the end",
       [](Plan& p) {
         data(p, 4), shard(p, Sharding::optimizer), buckets(p, 9e3);
         p.ccl.overlap_parameters = false;
       }},
      {"zero2 dp2", [](Plan& p) { data(p, 2), shard(p, gradients); }},
      {"zero2 dp4 buckets", [](Plan& p) { data(p, 4), shard(p, gradients), buckets(p, 9e3); }},
      {"zero3 dp2", [](Plan& p) { data(p, 2), shard(p, parameters); }},
      {"zero3 dp4", [](Plan& p) { data(p, 4), shard(p, parameters); }},
      {"zero3 dp8 no overlap",
       [](Plan& p) {
         data(p, 8), shard(p, parameters);
         p.ccl.overlap_parameters = false;
       }},
      {"zero3 dp2 full recompute",
       [](Plan& p) {
         data(p, 2), shard(p, parameters);
         of(p).recompute = Recompute::full;
       }},
      {"hybrid zero1 dp4 in groups of 2",
       [](Plan& p) { data(p, 4), shard(p, Sharding::optimizer, 2), buckets(p, 20e3); }},
      {"hybrid zero2 dp4 in groups of 2", [](Plan& p) { data(p, 4), shard(p, gradients, 2); }},
      {"hybrid zero3 dp4 in groups of 2", [](Plan& p) { data(p, 4), shard(p, parameters, 2); }},
      {"hybrid zero3 dp2 in groups of 1", [](Plan& p) { data(p, 2), shard(p, parameters, 1); }},
      // pairs
      {"tp2 dp2", [](Plan& p) { tensor(p, 2), data(p, 2); }},
      {"tp2 sp dp4", [](Plan& p) { tensor(p, 2, true), data(p, 4); }},
      {"tp2 pp2", [](Plan& p) { tensor(p, 2), pipeline(p, 2); }},
      {"tp2 sp pp2 zb-h1", [](Plan& p) { tensor(p, 2, true), pipeline(p, 2, zb_h1); }},
      {"dp2 pp2", [](Plan& p) { data(p, 2), pipeline(p, 2); }},
      {"dp2 pp4 zb-h1", [](Plan& p) { data(p, 2), pipeline(p, 4, zb_h1); }},
      {"dp2 pp2 interleaved buckets",
       [](Plan& p) { data(p, 2), pipeline(p, 2, interleaved), buckets(p, 9e3); }},
      {"zero1 dp2 pp2", [](Plan& p) { data(p, 2), pipeline(p, 2), shard(p, Sharding::optimizer); }},
      {"zero1 dp2 pp2 interleaved gathered at the end",
       [](Plan& p) {
         data(p, 2), pipeline(p, 2, interleaved), shard(p, Sharding::optimizer), buckets(p, 9e3);
         p.ccl.overlap_parameters = false;
       }},
      {"zero2 dp2 pp2 gpipe",
       [](Plan& p) { data(p, 2), pipeline(p, 2, gpipe), shard(p, gradients); }},
      {"dp2 pp2 zb-h2 buckets",
       [](Plan& p) { data(p, 2), pipeline(p, 2, zb_h2), buckets(p, 9e3); }},
      {"zero3 dp2 pp2 zb-h1",
       [](Plan& p) { data(p, 2), pipeline(p, 2, zb_h1), shard(p, parameters); }},
      {"zero3 tp2 sp dp2", [](Plan& p) { tensor(p, 2, true), data(p, 2), shard(p, parameters); }},
      {"zero2 tp2 dp2", [](Plan& p) { tensor(p, 2), data(p, 2), shard(p, gradients); }},
      // triples
      {"tp2 dp2 pp2", [](Plan& p) { tensor(p, 2), data(p, 2), pipeline(p, 2); }},
      {"tp2 sp pp2 zb-h2 full recompute",
       [](Plan& p) {
         tensor(p, 2, true), pipeline(p, 2, zb_h2);
         of(p).recompute = Recompute::full;
       }},
      {"tp2 sp dp2 pp2 zb-h1",
       [](Plan& p) { tensor(p, 2, true), data(p, 2), pipeline(p, 2, zb_h1); }},
      {"tp2 dp2 pp2 interleaved zero1 buckets",
       [](Plan& p) {
         tensor(p, 2), data(p, 2), pipeline(p, 2, interleaved);
         shard(p, Sharding::optimizer), buckets(p, 9e3);
       }},
      {"tp2 sp dp2 pp2 zero3 full recompute",
       [](Plan& p) {
         tensor(p, 2, true), data(p, 2), pipeline(p, 2), shard(p, parameters);
         of(p).recompute = Recompute::full;
       }},
      {"pipeline innermost: pp2 tp2 dp2",
       [](Plan& p) {
         tensor(p, 2), data(p, 2), pipeline(p, 2);
         of(p).order = {Axis::pipeline, Axis::data, Axis::tensor, Axis::context, Axis::expert};
       }},
  };
}

}  // namespace quintet::engine::test
