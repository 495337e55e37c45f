// Formulas of kernel_time.h on a small invented GPU whose numbers make the sums easy.
#include "sim/cost/kernel_time.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

using namespace literals;

// 132 SMs of 1 TFLOP/s each: a 128 x 128 tile of depth 1024 takes 2 * 128 * 128 * 1024 / 1e12 =
// 33.554432 us. Memory is out of the way unless asked for: sharpness 1000 is a maximum.
constexpr double tile_seconds = 33.554432e-6;

MemoryCosts memory_entry(MemoryOperation operation) {
  return {.operation = operation,
          .bandwidth = 500_GBps,
          .cached = 1000_GBps,
          .backward_factor = 2.0,
          .start = 3_us,
          .source = "invented"};
}

CostTable small_gpu() {
  CostTable table;
  table.sms = 132;
  table.memory_bandwidth = 100000_GBps;
  table.cache = 40_MB;
  GemmCosts gemm;
  gemm.type = DataType::bf16;
  gemm.peak = 132_TFLOPs;
  gemm.tiles = {{128, 128, 1.0}};
  gemm.sharpness = 1000;
  gemm.source = "invented";
  table.gemm = {gemm};
  AttentionCosts flash;
  flash.kernel = "flash";
  flash.type = DataType::bf16;
  flash.forward_efficiency = 0.5;
  flash.backward_efficiency = 0.25;
  table.attention = {flash};
  for (const MemoryOperation operation :
       {MemoryOperation::norm, MemoryOperation::softmax, MemoryOperation::dropout,
        MemoryOperation::activation, MemoryOperation::elementwise, MemoryOperation::optimizer,
        MemoryOperation::embedding, MemoryOperation::cross_entropy})
    table.memory.push_back(memory_entry(operation));
  return table;
}

PricedOperator product(GemmShape shape, Phase phase = Phase::forward) {
  return {OperatorKind::mlp_up, phase, DataType::bf16, shape};
}

PricedOperator streaming(OperatorKind kind, Phase phase, Bytes read, Bytes written,
                         int kernels = 1) {
  return {kind, phase, DataType::bf16, MemoryShape{read, written}, kernels};
}

void expect_seconds(Seconds found, double expected) {
  EXPECT_NEAR(found.value, expected, 1e-9 * expected);
}

// 132 tiles on 132 SMs: one wave.
TEST(Gemm, ATilePerSmIsOneWave) {
  const KernelUse use = kernel_use(product({132 * 128, 128, 1024}), small_gpu());
  expect_seconds(use.time, tile_seconds);
  EXPECT_EQ(use.tiles, 132);
}

// The 133rd tile needs a second wave: twice the time for 1/132 more work.
TEST(Gemm, OneTileMoreThanSmsTakesASecondWave) {
  expect_seconds(kernel_time(product({133 * 128, 128, 1024}), small_gpu()), 2 * tile_seconds);
}

// A ragged edge costs a whole tile: 129 rows are two rows of tiles, 66 columns of them fill 132
// SMs.
TEST(Gemm, ARaggedEdgeCostsWholeTiles) {
  expect_seconds(kernel_time(product({129, 66 * 128, 1024}), small_gpu()), tile_seconds);
}

// Half smoothed: w = 133/132, waves = w + 0.5 (2 - w) = 1.5 + 0.5 / 132.
TEST(Gemm, SmoothingTakesOffPartOfTheLastWave) {
  CostTable table = small_gpu();
  table.gemm[0].wave_smoothing = 0.5;
  expect_seconds(kernel_time(product({133 * 128, 128, 1024}), table),
                 (1.5 + 0.5 / 132) * tile_seconds);
}

// k = k_half = 1024: as long as a product of twice the depth.
TEST(Gemm, AtDepthKHalfTheRateIsHalf) {
  CostTable table = small_gpu();
  table.gemm[0].k_half = 1024;
  expect_seconds(kernel_time(product({132 * 128, 128, 1024}), table), 2 * tile_seconds);
}

// 64 x 64 tiles quantise 133 * 128 rows better: 532 of them are 5 waves of a quarter tile each
// (1.25 tile times against 2).
TEST(Gemm, TheFasterTileIsTaken) {
  CostTable table = small_gpu();
  table.gemm[0].tiles.push_back({64, 64, 1.0});
  const KernelUse use = kernel_use(product({133 * 128, 128, 1024}), table);
  expect_seconds(use.time, 1.25 * tile_seconds);
  EXPECT_EQ(use.tiles, 532);
}

// One row, 32 tiles: one wave of depth 8192 takes 8 tile times, 268 us, a tenth of it at ten times
// the peak; the bytes at half of 1 TB/s take 134 us and win.
TEST(Gemm, AThinProductIsBoundByMemory) {
  CostTable table = small_gpu();
  table.memory_bandwidth = 1000_GBps;
  table.gemm[0].memory_efficiency = 0.5;
  table.gemm[0].peak = 1320_TFLOPs;
  const KernelUse use = kernel_use(product({1, 4096, 8192}), table);
  expect_seconds(use.time, 2.0 * (8192 + 8192.0 * 4096 + 4096) / 0.5e12);
  EXPECT_NEAR(use.memory_share, 1, 1e-9);
}

// Sharpness 1 adds compute and memory: 33.55 us + 2 (16896 * 1024 + 1024 * 128 + 16896 * 128) B / 1
// TB/s.
TEST(Gemm, SharpnessOneIsTheSumOfComputeAndMemory) {
  CostTable table = small_gpu();
  table.memory_bandwidth = 1000_GBps;
  table.gemm[0].sharpness = 1;
  table.gemm[0].start = 5_us;
  const double memory = 2.0 * (16896.0 * 1024 + 1024 * 128 + 16896.0 * 128) / 1e12;
  expect_seconds(kernel_time(product({16896, 128, 1024}), table), 5e-6 + tile_seconds + memory);
}

// 132 tiles of fp8: 16896 * 1024 + 1024 * 128 bytes read, 2 * 16896 * 128 written (bf16), 1 TB/s.
TEST(Gemm, AnFp8ProductWritesTwoBytesPerResult) {
  CostTable table = small_gpu();
  table.memory_bandwidth = 1000_GBps;
  table.gemm[0].type = DataType::fp8;
  table.gemm[0].peak = 132e3_TFLOPs;
  PricedOperator work = product({16896, 128, 1024});
  work.type = DataType::fp8;
  expect_seconds(kernel_time(work, table),
                 (16896.0 * 1024 + 1024 * 128 + 2 * 16896.0 * 128) / 1e12);
}

TEST(Gemm, GradientsTakeTheirLayoutsFactor) {
  CostTable table = small_gpu();
  table.gemm[0].input_gradient = 1.1;
  table.gemm[0].weight_gradient = 1.3;
  const GemmShape shape{132 * 128, 128, 1024};
  expect_seconds(kernel_time(product(shape, Phase::input_gradient), table), 1.1 * tile_seconds);
  expect_seconds(kernel_time(product(shape, Phase::weight_gradient), table), 1.3 * tile_seconds);
}

// 4 * 1 * 132 heads * 128 * 1024 * 64 FLOP at half of 132 TFLOP/s.
TEST(FlashAttention, TakesItsWorkOverItsShareOfThePeak) {
  AttentionShape shape{1, 132, 132, 128, 1024, 64, MaskKind::bidirectional};
  const PricedOperator work{OperatorKind::attention, Phase::forward, DataType::bf16, shape};
  const double seconds = 4.0 * 132 * 128 * 1024 * 64 / 66e12;
  expect_seconds(kernel_time(work, small_gpu()), seconds);
}

// A causal mask leaves half; backward does 2.5 times the work at half the rate: 5 times.
TEST(FlashAttention, TheMaskHalvesAndBackwardIsFiveTimesAsLong) {
  AttentionShape shape{1, 132, 132, 1024, 1024, 64, MaskKind::causal};
  PricedOperator work{OperatorKind::attention, Phase::forward, DataType::bf16, shape};
  const double seconds = 0.5 * 4.0 * 132 * 1024 * 1024 * 64 / 66e12;
  expect_seconds(kernel_time(work, small_gpu()), seconds);
  work.phase = Phase::input_gradient;
  expect_seconds(kernel_time(work, small_gpu()), 5 * seconds);
}

// Window w of k keys: w - w^2/2k keys per query; w = k/4 leaves 7/32 k where causal leaves 16/32.
TEST(FlashAttention, AWindowLeavesLess) {
  AttentionShape shape{1, 132, 132, 1024, 1024, 64, MaskKind::causal};
  const PricedOperator all{OperatorKind::attention, Phase::forward, DataType::bf16, shape};
  shape.window = 256;
  const PricedOperator windowed{OperatorKind::attention, Phase::forward, DataType::bf16, shape};
  EXPECT_NEAR(kernel_time(windowed, small_gpu()) / kernel_time(all, small_gpu()), 7.0 / 16, 1e-12);
}

// One head: 8 blocks on 132 SMs; with waves_half = 8/132 the rate is half.
TEST(FlashAttention, FewBlocksLeaveSmsIdle) {
  CostTable table = small_gpu();
  table.attention[0].forward_waves_half = 8.0 / 132;
  AttentionShape shape{1, 1, 1, 1024, 1024, 64, MaskKind::bidirectional};
  const PricedOperator work{OperatorKind::attention, Phase::forward, DataType::bf16, shape};
  expect_seconds(kernel_time(work, table), 2 * 4.0 * 1024 * 1024 * 64 / 66e12);
}

// fp8 recipes keep attention in bf16.
TEST(FlashAttention, Fp8FindsTheBf16Kernel) {
  AttentionShape shape{1, 132, 132, 1024, 1024, 64, MaskKind::causal};
  const PricedOperator bf16{OperatorKind::attention, Phase::forward, DataType::bf16, shape};
  const PricedOperator fp8{OperatorKind::attention, Phase::forward, DataType::fp8, shape};
  EXPECT_EQ(kernel_time(fp8, small_gpu()), kernel_time(bf16, small_gpu()));
}

// The AttentionShape's price is that of the kernels it stands for, written out: two batched
// products, the softmax (half read, all written: 3 B a score) and the dropout (2 + 2 + 1 B).
TEST(UnfusedAttention, IsTheSumOfItsKernels) {
  const CostTable table = small_gpu();
  AttentionShape shape{4, 8, 8, 2048, 2048, 96, MaskKind::causal, AttentionKernel::unfused};
  const PricedOperator whole{OperatorKind::attention, Phase::forward, DataType::bf16, shape};
  const double scores = 32.0 * 2048 * 2048;
  Seconds sum;
  for (const OperatorShape& part : std::initializer_list<OperatorShape>{
           GemmShape{2048, 2048, 96, 32}, GemmShape{2048, 96, 2048, 32},
           MemoryShape{Bytes{scores}, Bytes{2 * scores}, 32 * 2048, 2048},
           MemoryShape{Bytes{2 * scores}, Bytes{3 * scores}}})
    sum += kernel_time({OperatorKind::attention, Phase::forward, DataType::bf16, part}, table);
  expect_seconds(kernel_time(whole, table), sum.value);
}

// 100 MB are beyond the cache of 40 MB: 3 us + 100 MB / 500 GB/s = 203 us.
TEST(MemoryBound, LargeTensorsStreamFromMemory) {
  const PricedOperator work = streaming(OperatorKind::norm, Phase::forward, 50_MB, 50_MB);
  const KernelUse use = kernel_use(work, small_gpu());
  expect_seconds(use.time, 203e-6);
  EXPECT_NEAR(use.memory_share, 200.0 / 203, 1e-12);
}

// 20 MB are half of the cache: 3 us + 20 MB / 1000 GB/s = 23 us. 30 MB: half way, 3 + 30 + 15 us.
TEST(MemoryBound, SmallTensorsAreStillInTheCache) {
  const CostTable table = small_gpu();
  const auto time = [&](Bytes size) {
    return kernel_time(streaming(OperatorKind::norm, Phase::forward, size, 0_B), table);
  };
  expect_seconds(time(20_MB), 23e-6);
  expect_seconds(time(30_MB), 48e-6);
}

// Twice as long per byte in the backward pass, and a start for each kernel: 2 * 3 + 2 * 200 us.
TEST(MemoryBound, BackwardTakesItsFactorAndEachKernelItsStart) {
  const PricedOperator work = streaming(OperatorKind::norm, Phase::input_gradient, 60_MB, 40_MB, 2);
  expect_seconds(kernel_time(work, small_gpu()), 406e-6);
}

PricedOperator norm_of(std::int64_t rows, std::int64_t columns, Phase phase = Phase::forward) {
  const Bytes tensor{2.0 * static_cast<double>(rows * columns)};
  return {OperatorKind::norm, phase, DataType::bf16, MemoryShape{tensor, tensor, rows, columns}};
}

// 132 SMs hold 264 rows at a time; 265 rows take two waves, as long as 528 rows: their bytes at 500
// GB/s, two starts of 1 us and the kernel's 3 us. A single row takes a wave.
TEST(MemoryBound, RowsRunInWholeWaves) {
  CostTable table = small_gpu();
  table.cache = 0_B;
  table.memory[0].rows_per_multiprocessor = 2;
  table.memory[0].wave_start = 1_us;
  expect_seconds(kernel_time(norm_of(264, 2048), table), 4e-6 + 4.0 * 2048 * 264 / 500e9);
  expect_seconds(kernel_time(norm_of(265, 2048), table), 5e-6 + 4.0 * 2048 * 528 / 500e9);
  expect_seconds(kernel_time(norm_of(1, 2048), table), 4e-6 + 4.0 * 2048 * 264 / 500e9);
}

// Rows of 8192, four times the reference: sqrt(4) forward, not backward, whose factor is 2.
TEST(MemoryBound, WideRowsAreSlowerPerByte) {
  CostTable table = small_gpu();
  table.cache = 0_B;
  table.memory[0].columns_exponent = 0.5;
  const double streaming = 4.0 * 8192 * 4096 / 500e9;
  expect_seconds(kernel_time(norm_of(4096, 8192), table), 3e-6 + 2 * streaming);
  expect_seconds(kernel_time(norm_of(4096, 8192, Phase::input_gradient), table),
                 3e-6 + 2 * streaming);
  expect_seconds(kernel_time(norm_of(16384, 2048), table), 3e-6 + streaming);
}

TEST(MemoryBound, EveryKindOfOperatorHasAPrice) {
  const CostTable table = small_gpu();
  for (int kind = 0; kind <= static_cast<int>(OperatorKind::stage_total); ++kind)
    expect_seconds(
        kernel_time(streaming(static_cast<OperatorKind>(kind), Phase::forward, 50_MB, 50_MB),
                    table),
        203e-6);
}

TEST(Profile, AStagesTimeIsReadOff) {
  CostTable table;
  table.stages = {{1_ms, 2_ms, 3_ms, 4_ms}, {10_ms, 20_ms, 30_ms, 40_ms}};
  PricedOperator work{OperatorKind::stage_total, Phase::forward, DataType::bf16,
                      ProfiledShape{1, 8}};
  const auto in = [&](Phase phase) {
    work.phase = phase;
    return kernel_time(work, table);
  };
  EXPECT_EQ(in(Phase::forward), 10_ms);
  EXPECT_EQ(in(Phase::recompute), 10_ms);
  EXPECT_EQ(in(Phase::input_gradient), 20_ms);
  EXPECT_EQ(in(Phase::weight_gradient), 30_ms);
  EXPECT_EQ(in(Phase::backward), 50_ms);
  EXPECT_EQ(in(Phase::update), 40_ms);
}

TEST(Missing, SaysWhatTheTableCannotPrice) {
  CostTable table = small_gpu();
  EXPECT_EQ(missing_for(DataType::bf16, table), "");
  EXPECT_EQ(missing_for(DataType::fp16, table), "GEMM in fp16");
  EXPECT_EQ(missing_for(DataType::fp8, table), "GEMM in fp8");
  table.memory.pop_back();
  EXPECT_EQ(missing_for(DataType::bf16, table), "cross_entropy");
  table = small_gpu();
  table.attention.clear();
  EXPECT_EQ(missing_for(DataType::bf16, table), "flash attention in bf16");
  EXPECT_EQ(missing_for(DataType::bf16, table, AttentionKernel::unfused), "");
  table.stages = {{}};
  EXPECT_EQ(missing_for(DataType::fp8, table), "");
}

// 132 blocks beside a 24-block all-gather: ceil(132/108) / ceil(132/132) = 2, the
// "nearly doubles" of the H100 report.
TEST(Slowdown, A24BlockAllGatherDoublesA132BlockGemm) {
  EXPECT_EQ(slowdown({1_ms, 132, 0.1}, 24, 0.1, small_gpu()), 2);
}

// 1320 tiles: ceil(1320/108) = 13 waves for 10.
TEST(Slowdown, ManyWavesLoseOnlyTheirShare) {
  EXPECT_DOUBLE_EQ(slowdown({1_ms, 1320, 0.1}, 24, 0.1, small_gpu()), 1.3);
}

// 1/(1 - 0.2) for a kernel that is all memory traffic and has no tiles to lose.
TEST(Slowdown, AMemoryBoundKernelSharesTheBandwidth) {
  EXPECT_DOUBLE_EQ(slowdown({1_ms, 0, 1.0}, 24, 0.2, small_gpu()), 1.25);
  EXPECT_DOUBLE_EQ(slowdown({1_ms, 0, 0.5}, 24, 0.2, small_gpu()), 1);
}

// Beside communication the table's further factor multiplies; alone nothing does.
TEST(Slowdown, TheTablesFactorCountsOnlyBesideCommunication) {
  CostTable table = small_gpu();
  table.overlap.compute_slowdown = 1.126;
  EXPECT_DOUBLE_EQ(slowdown({1_ms, 132, 0.1}, 24, 0.1, table), 2 * 1.126);
  EXPECT_EQ(slowdown({1_ms, 132, 0.1}, 0, 0, table), 1);
}

// 2.5 us + 26 MB / 26 GB/s.
TEST(Copy, TakesAStartAndItsDirectionsBandwidth) {
  CostTable table;
  table.copy = {26_GBps, 13_GBps, 52_GBps, 2500_ns, "invented"};
  expect_seconds(copy_time(26_MB, CopyDirection::host_to_device, table), 1.0025e-3);
  expect_seconds(copy_time(26_MB, CopyDirection::device_to_host, table), 2.0025e-3);
  expect_seconds(copy_time(26_MB, CopyDirection::device_to_device, table), 0.5025e-3);
}

}  // namespace
}  // namespace quintet
