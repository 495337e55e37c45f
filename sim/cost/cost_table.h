// What a kind of hardware, with its libraries, was measured to do. Read from traces/costs/*.json;
// every number there says where it comes from. kernel_time and friends are pure functions of
// (operator, table).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/data_type.h"
#include "sim/base/units.h"
#include "sim/cost/communication_costs.h"
#include "sim/cost/evidence.h"
#include "sim/cost/fit_validity.h"
#include "sim/cost/sampled_curve.h"
#include "sim/model/operator.h"

namespace quintet {

// A GEMM runs in waves of tiles over the SMs; the time is the tensor cores' or the memory's,
// whichever is longer, plus a fixed start. Parameters are fitted per architecture and type (see
// kernel_time.h for the formula).
struct GemmTile {
  int m = 128, n = 128;
  double efficiency = 0.8;  // of the SM's peak rate, inner loop of this tile, k large
  bool operator==(const GemmTile&) const = default;
};

struct GemmCosts {
  DataType type = DataType::bf16;
  FlopRate peak;                 // dense, vendor's
  std::vector<GemmTile> tiles;   // the library picks the fastest
  Seconds start;                 // prologue and epilogue of a kernel, not the launch
  double k_half = 0;             // depth k at which half of a tile's efficiency is reached
  double wave_smoothing = 0;     // 0: whole waves; 1: fractional waves (stream-k, split-k)
  double memory_efficiency = 1;  // of the vendor's memory bandwidth, operands read once
  // How sharply compute and memory take turns: (compute^x + memory^x)^(1/x); 1: their sum.
  double sharpness = 4;
  // The share of these rates, and of attention's, that steps of seconds keep: kernels are measured
  // in bursts, below the power limit.
  double sustained = 1;
  double input_gradient = 1;   // time factor of the B product (other operand layout)
  double weight_gradient = 1;  // time factor of the W product (fp32 accumulation into the gradient)
  std::string source;
  Residuals residuals;    // of shapes held out
  CoveredRanges covered;  // none: not known
  PassEvidence evidence;
  bool operator==(const GemmCosts&) const = default;
};

// Fused attention. The unfused one needs no entry: it is two batched GEMMs, a softmax and a
// dropout.
struct AttentionCosts {
  std::string kernel;  // "flash"
  DataType type = DataType::bf16;
  double forward_efficiency = 0.6;   // of the GEMM peak at long sequences, on the work really done
  double backward_efficiency = 0.5;  // its work: 2.5 times the forward's
  double length_half = 0;            // key length at which half of that is reached, no mask
  double causal_length_half = 0;     // the same under a causal mask, on its half of the work
  // Waves of 128-query blocks over the SMs at which half is reached (few heads leave SMs idle).
  double forward_waves_half = 0, backward_waves_half = 0;
  double head_dim_reference = 128;  // efficiency scales with min(1, head_dim / this) ^ exponent
  double head_dim_exponent = 0;
  Seconds start;
  std::string source;
  Residuals residuals;    // of shapes held out
  CoveredRanges covered;  // none: not known
  PassEvidence evidence;
  bool operator==(const AttentionCosts&) const = default;
};

// The memory-bound kernels a table must price.
enum class MemoryOperation {
  norm,
  softmax,  // scaled, masked; of unfused attention
  dropout,  // of unfused attention
  activation,
  elementwise,
  optimizer,
  embedding,
  cross_entropy,
};

struct MemoryCosts {
  MemoryOperation operation = MemoryOperation::elementwise;
  Bandwidth bandwidth;         // reached when large
  Bandwidth cached;            // reached when all fits in half of the L2
  double backward_factor = 1;  // on the time per byte of the backward kernel
  // Rows (of kernels that give each a thread block) that an SM works on at a time: whole waves of
  // them take their time, and each wave its start. 0: not quantised.
  int rows_per_multiprocessor = 0;
  Seconds wave_start;
  // The time per byte of rows wider than 2048 columns grows by this power of the width.
  double columns_exponent = 0;
  double backward_columns_exponent = 0;
  Seconds start;  // fixed part per kernel
  std::string source;
  Residuals residuals;    // of shapes held out
  CoveredRanges covered;  // none: not known
  PassEvidence evidence;
  bool operator==(const MemoryCosts&) const = default;
};

struct LaunchCosts {
  Seconds eager;        // CPU time to issue one kernel from the framework
  Seconds graph;        // per kernel of a captured graph
  Seconds collective;   // CPU time to issue one communication call
  Seconds gap;          // GPU idle between two queued dependent kernels of a stream
  int queue = 1024;     // launches the CPU may run ahead
  Seconds synchronise;  // a blocking CPU wait, once it is satisfied
  std::string source;
  // CPU time of a step before its first launch and after its last kernel, while the GPU has nothing
  // to do: reading a batch, bringing it, hearing of the loss.
  Seconds step{};
  Evidence evidence = Evidence::guessed;
  bool operator==(const LaunchCosts&) const = default;
};

struct CopyCosts {
  Bandwidth host_to_device, device_to_host, device_to_device;  // from and to pinned memory
  Seconds start;
  std::string source;
  // From and to memory that is not pinned; 0: not measured.
  Bandwidth pageable_to_device{}, device_to_pageable{};
  double both_ways = 1;  // factor on a copy's time while as much is copied the other way
  Evidence evidence = Evidence::guessed;
  bool operator==(const CopyCosts&) const = default;
};

// A stage's measured times for one micro-batch, in place of operators (PipeMorph's artefact lists
// such profiles).
struct StageCosts {
  Seconds forward, input_gradient, weight_gradient;
  Seconds update;
  bool operator==(const StageCosts&) const = default;
};

// What one operator took, exactly as it stands in a program: kind, phase, type, shape. In place of
// the formulas; made by quintet-calibrate.
struct MeasuredOperator {
  PricedOperator work;
  Seconds time;  // processor time of its thread, median
  int samples = 1;
  bool operator==(const MeasuredOperator&) const = default;
};

// Times of operators that differ only in sizes (operator_family.h), and how a curve runs through
// them: what the others of the family take. After exact measurements, before the formulas.
struct OperatorCurve {
  std::vector<MeasuredOperator> points;  // one or more, of one family
  Smoothness smoothness;
  SampledCurve fit;     // through these points, that smooth: operator_curves.h makes it
  Residuals residuals;  // of points left out
  bool operator==(const OperatorCurve&) const = default;
};

// What a rank's own thread does for the communications of one name, half of it before they start
// and half after they have ended: copies between its buffers, fresh memory.
struct StagingCosts {
  std::string communication;  // Instruction::name
  Bandwidth rate;             // by the collective's size
  bool operator==(const StagingCosts&) const = default;
};

// Where more ranks than cores come to a collective straight from computing, the last comes later
// than if they had taken turns evenly: a scheduler leaves them unevenly on the cores for a while.
// By a share of the time that they computed since they last met, but not more than `most`.
struct ArrivalSpread {
  double share = 0;
  Seconds most;
  bool operator==(const ArrivalSpread&) const = default;
};

// Ranks that compute on processor cores. Threads of ranks that share cores take turns, and moving
// their bytes takes the same cores.
struct ProcessorCosts {
  int cores = 0;           // of one machine that holds all ranks, as a box does; 0: each host's own
  Bandwidth message_rate;  // payload that a core's whole time moves, sender and receiver together
  Seconds message_work;    // core time of a message beside that, both ends together
  Seconds message_latency;  // from the sender's call to the receiver's, beside the wire
  // The same while kernels have taken all cores: who moves messages must wait for one.
  Seconds crowded_latency;
  std::string source;
  std::vector<StagingCosts> staging{};
  // The share of the cores' time that threads get when they want all of it: now and then one waits
  // for a core while another core has none to run, and switching between them takes its time.
  double usable = 1;
  ArrivalSpread arrival_spread{};
  // Core time of a message between stages beside message_work and its bytes, both ends together:
  // who moves it is woken for it, looks for more and sleeps again. It delays nothing but what wants
  // the cores.
  Seconds message_tail{};
  bool operator==(const ProcessorCosts&) const = default;
};

// Steps that were run when the rest was measured, beside what it predicts of them: how errors of
// parts add up, and what no part knows of.
struct WholeStepCosts {
  Residuals residuals;
  std::string source;
  bool operator==(const WholeStepCosts&) const = default;
};

// How far off a table of peak rates may be (guessed_costs.h).
struct GuessedCosts {
  double low = 1, high = 1;  // a real step takes from `low` to `high` times what it predicts
  std::string rests_on;      // "peak rates of MI300X and efficiencies of other cards: a guess"
  bool operator==(const GuessedCosts&) const = default;
};

struct CostTable {
  std::string name;  // "H100-SXM-80GB, cuBLAS 12"
  std::string gpu;   // GpuSpec::name it was measured on
  int sms = 0;
  Bandwidth memory_bandwidth;  // vendor's
  Bytes cache;                 // L2: what stays inside moves faster
  std::vector<GemmCosts> gemm;
  std::vector<AttentionCosts> attention;
  std::vector<MemoryCosts> memory;
  LaunchCosts launch;
  CopyCosts copy;
  OverlapCosts overlap;
  CommunicationCosts communication;
  Bytes framework_memory;      // CUDA context, NCCL and framework buffers per GPU
  double fragmentation = 0.0;  // allocator share on top of activations
  // NCCL's buffers for each of the tensor and pipeline axes that has more than one rank.
  Bytes communicator_memory;
  std::string source;                        // of the numbers that stand in no part of their own
  Evidence evidence = Evidence::guessed;     // likewise, and of `stages`
  std::vector<std::string> not_measured;     // a sentence each
  std::vector<StageCosts> stages;            // not empty: compile makes ProfiledShape operators
  std::vector<MeasuredOperator> operators;   // come before the formulas
  std::vector<OperatorCurve> curves;         // come next
  std::optional<ProcessorCosts> processors;  // of ranks without GPUs
  WholeStepCosts whole_steps;
  std::optional<GuessedCosts> guess{};  // made of peak rates: nobody measured anything
  // A machine whose hosts have GPUs of several kinds has a table for each further kind.
  std::vector<CostTable> other_gpus{};
  bool operator==(const CostTable&) const = default;
};

// The table of a GPU by its name; the first where no other is of it.
inline const CostTable& table_of(const CostTable& costs, std::string_view gpu) {
  if (costs.gpu != gpu)
    for (const CostTable& other : costs.other_gpus)
      if (other.gpu == gpu) return other;
  return costs;
}

// The first and the others.
inline std::vector<const CostTable*> all_tables(const CostTable& costs) {
  std::vector<const CostTable*> all{&costs};
  for (const CostTable& other : costs.other_gpus) all.push_back(&other);
  return all;
}

}  // namespace quintet
