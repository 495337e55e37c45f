#include "sim/cost/overlap_time.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

using namespace literals;

CostTable with_rows() {
  CostTable table;
  table.sms = 132;
  table.overlap.compute_slowdown = 1.1;
  table.overlap.communication_slowdown = 1.2;
  table.overlap.rows = {{ComputeClass::product, CommunicationClass::reducing, 1.5, 2},
                        {ComputeClass::product, CommunicationClass::copying, 1.3, 0.9}};
  return table;
}

const KernelUse kernel{1_ms, 132, 0.1};

TEST(Overlap, ARowTakesThePlaceOfTheModel) {
  const CostTable table = with_rows();
  EXPECT_EQ(kernel_slowdown(kernel, ComputeClass::product, {24, 0.1, 0, 1}, table), 1.3);
  EXPECT_EQ(kernel_slowdown(kernel, ComputeClass::product, {48, 0.2, 1, 1}, table), 1.5);
  EXPECT_EQ(communication_slowdown(CommunicationClass::reducing, ComputeClass::product, table), 2);
  // Noise made one faster.
  EXPECT_EQ(communication_slowdown(CommunicationClass::copying, ComputeClass::product, table), 1);
}

// No row of memory-bound work; no SMs are held where the host carries the data.
TEST(Overlap, WhatHasNoRowKeepsTheModel) {
  const CostTable table = with_rows();
  EXPECT_EQ(kernel_slowdown(kernel, ComputeClass::memory, {24, 0.1, 1, 0}, table),
            slowdown(kernel, 24, 0.1, table));
  EXPECT_EQ(kernel_slowdown(kernel, ComputeClass::product, {0, 0.1, 0, 0}, table),
            slowdown(kernel, 0, 0.1, table));
  EXPECT_EQ(communication_slowdown(CommunicationClass::reducing, ComputeClass::memory, table), 1.2);
  EXPECT_EQ(communication_slowdown({}, ComputeClass::product, table), 1.2);
}

TEST(Overlap, RowsOfRanksOnProcessorsSlowNothing) {
  CostTable table = with_rows();
  table.processors = ProcessorCosts{};
  EXPECT_EQ(kernel_slowdown(kernel, ComputeClass::product, {24, 0.1, 1, 0}, table),
            slowdown(kernel, 24, 0.1, table));
  EXPECT_EQ(communication_slowdown(CommunicationClass::reducing, ComputeClass::product, table),
            1.2);
}

TEST(Overlap, KnowsProductsAndWhatMemoryBounds) {
  PricedOperator work;
  work.shape = GemmShape{};
  EXPECT_EQ(class_of(work), ComputeClass::product);
  work.shape = AttentionShape{};
  EXPECT_EQ(class_of(work), ComputeClass::product);
  work.shape = MemoryShape{};
  EXPECT_EQ(class_of(work), ComputeClass::memory);
}

}  // namespace
}  // namespace quintet
