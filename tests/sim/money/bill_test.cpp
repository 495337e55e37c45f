#include "sim/money/bill.h"

#include <gtest/gtest.h>

#include "sim/money/inventory.h"
#include "tests/support/small_worlds.h"

namespace quintet::test {
namespace {

using namespace literals;

Price priced(double low, double usual, double high) {
  return {{Dollars{low}, Dollars{usual}, Dollars{high}}, {PriceBasis::list, 2026, "here"}};
}

PriceFactor factor(double low, double usual, double high) {
  return {low, usual, high, {PriceBasis::list, 2026, "here"}};
}

// Every part has a price of its own, so that a sum tells what it is of.
Prices small_prices(const std::string& gpu) {
  Prices prices;
  prices.name = "test prices";
  prices.gpus = {{gpu, priced(9000, 10000, 12000), priced(1, 2, 4)}};
  prices.hosts = {{8, priced(4000, 5000, 6000)}};
  prices.nics = {{50_GBps, priced(400, 500, 600)}};
  prices.switches = {{50_GBps, 4, priced(800, 1000, 1200)}};
  prices.cables = {{50_GBps, priced(5, 10, 20)}};
  prices.optics = {{50_GBps, priced(50, 100, 150)}};
  prices.electricity = priced(0.05, 0.1, 0.2);
  prices.pue = factor(1, 1.2, 1.5);
  prices.drawn = {0.5, 1.0, std::nullopt, {PriceBasis::list, 2026, "here"}};
  prices.years = factor(4, 5, 10);
  prices.upkeep = factor(0, 0.1, 0.2);
  return prices;
}

// Four hosts of 8 GPUs on one switch of so many ports.
Topology machine_of(int nics) {
  return built(gpu_host(8, nics), 4, tree("single_switch", 64));
}

Bill bill_of_small(const Topology& topology) {
  const Result<Bill> bill = bill_of(topology, small_prices(topology.gpu_specs.front().name));
  EXPECT_TRUE(bill) << (bill ? "" : bill.error().text());
  return *bill;
}

std::int64_t count_of(const Bill& bill, const std::string& part) {
  std::int64_t count = 0;
  for (const BillLine& line : bill.bought)
    if (line.part == part) count += line.count;
  return count;
}

// 4 hosts x 8 GPUs and 8 NICs on 1 switch: 32 cables with two ends each; a box has 4 ports, so that
// 32 cables need 8.
TEST(Bill, CountsThePartsOfTheGraph) {
  const Bill bill = bill_of_small(machine_of(8));
  EXPECT_EQ(count_of(bill, "GPU"), 32);
  EXPECT_EQ(count_of(bill, "host"), 4);
  EXPECT_EQ(count_of(bill, "NIC"), 32);
  EXPECT_EQ(count_of(bill, "cable"), 32);
  EXPECT_EQ(count_of(bill, "transceiver"), 64);
  EXPECT_EQ(count_of(bill, "switch"), 8);
  // 32 x 10,000 + 4 x 5,000 + 32 x 500 + 32 x 10 + 64 x 100 + 8 x 1,000
  EXPECT_EQ(bought(bill).usual.value, 370720);
}

// 16 NICs, 16 cables and 32 transceivers fewer, and 4 boxes of 4 ports: 8,000 + 160 + 3,200 +
// 4,000.
TEST(Bill, IsLessByTheNicsThatAreNotThereTheirCablesAndPorts) {
  const Amounts eight = bought(bill_of_small(machine_of(8)));
  const Amounts four = bought(bill_of_small(machine_of(4)));
  EXPECT_EQ(eight.usual.value - four.usual.value, 15360);
  // 16 x 400 + 16 x 5 + 32 x 50 + 4 x 800
  EXPECT_EQ(eight.low.value - four.low.value, 11280);
}

// Two tiers: the graph's own switches and trunks are counted.
TEST(Bill, HasTheTrunksBetweenSwitches) {
  const Topology topology = built(gpu_host(8, 8), 4, tree("fat_tree", 16));
  const Inventory all = inventory_of(topology);
  std::int64_t cables = 0, between = 0, switches = 0;
  for (const CountedCables& each : all.cables)
    (each.between_switches ? between : cables) += each.count;
  for (const CountedSwitches& each : all.switches) switches += each.count;
  EXPECT_EQ(cables, 32);
  EXPECT_EQ(between, trunks(topology));
  EXPECT_EQ(switches, count(topology, DeviceKind::network_switch, 1) +
                          count(topology, DeviceKind::network_switch, 2));
  EXPECT_GT(between, 0);
}

TEST(Bill, FailsWithWhatThePricesLack) {
  Prices prices = small_prices("another GPU");
  const Topology topology = machine_of(8);
  EXPECT_EQ(bill_of(topology, prices).error().where, "gpus");
  prices = small_prices(topology.gpu_specs.front().name);
  prices.nics.front().up_to = 10_GBps;
  EXPECT_EQ(bill_of(topology, prices).error().text(),
            "nics: has nothing of 400 Gb/s, at most 80 Gb/s; add an entry");
}

// Bought for 370,720 $ over 5 years of 8,766 h: 8.4582 $/h; upkeep a tenth a year: 4.2291 $/h;
// 10 kW x 1.2 x 0.1 $/kWh: 1.2 $/h. Low: 313,120 over 10 years, no upkeep, half of 20 kW rated at
// PUE 1 and 0.05 $. A step of 36 s is a hundredth of an hour.
TEST(Money, OfAnHourIsWrittenOffKeptUpAndPowered) {
  const Bill bill = bill_of_small(machine_of(8));
  const Money money = money_of(bill, {36_s, 32, 4, Watts{10e3}, Watts{20e3}});
  EXPECT_NEAR(money.written_off.usual.value, 370720 / (5 * 8766.0), 1e-9);
  EXPECT_NEAR(money.upkeep.usual.value, 37072 / 8766.0, 1e-9);
  EXPECT_NEAR(money.electricity.usual.value, 1.2, 1e-12);
  EXPECT_NEAR(money.electricity.low.value, 10 * 1 * 0.05, 1e-12);
  EXPECT_NEAR(money.electricity.high.value, 20 * 1.5 * 0.2, 1e-12);
  EXPECT_NEAR(money.owned.usual.value, 8.4582 + 4.2291 + 1.2, 1e-3);
  EXPECT_NEAR(money.owned.low.value, bought(bill).low.value / (10 * 8766.0) + 0.5, 1e-9);
  EXPECT_NEAR(money.owned_step.usual.value, money.owned.usual.value / 100, 1e-12);
}

// 32 GPUs at 2 $/h; at the machine's own price of 5 $/h, which is above the range, at that.
TEST(Money, OfRentIsByGpuHourAndTheMachinesOwnPriceComesFirst) {
  Topology topology = machine_of(8);
  topology.gpu_specs.front().price = {};
  const StepUse use{36_s, 32, 4, Watts{10e3}, Watts{20e3}};
  EXPECT_EQ(money_of(bill_of_small(topology), use).rented.usual.value, 64);
  topology.gpu_specs.front().price = {5};
  const Amounts own = money_of(bill_of_small(topology), use).rented;
  EXPECT_EQ(own.low.value, 32);
  EXPECT_EQ(own.usual.value, 160);
  EXPECT_EQ(own.high.value, 160);
}

// Half of the hosts: half of what was bought, and the electricity that the step itself says.
TEST(Money, OfAPlanOnPartOfAMachineIsThatPart) {
  const Bill bill = bill_of_small(machine_of(8));
  const Money all = money_of(bill, {36_s, 32, 4, Watts{10e3}, Watts{20e3}});
  const Money half = money_of(bill, {36_s, 16, 2, Watts{10e3}, Watts{20e3}});
  EXPECT_EQ(half.written_off.usual.value, all.written_off.usual.value / 2);
  EXPECT_EQ(half.rented.usual.value, all.rented.usual.value / 2);
  EXPECT_EQ(half.electricity, all.electricity);
}

TEST(Money, WithoutPowerLacksElectricityAndSaysSo) {
  const Money money = money_of(bill_of_small(machine_of(8)), {36_s, 32, 4, {}, {}});
  EXPECT_FALSE(money.knows_power);
  EXPECT_EQ(money.electricity, Amounts{});
}

TEST(Money, OfAStatedShareOfTheRatedPowerIsByThat) {
  Bill bill = bill_of_small(machine_of(8));
  bill.drawn.usual = 0.8;
  const Money money = money_of(bill, {36_s, 32, 4, Watts{10e3}, Watts{20e3}});
  EXPECT_EQ(money.power_usual.value, 16e3);
}

}  // namespace
}  // namespace quintet::test
