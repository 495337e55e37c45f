#include "sim/money/prices_file.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "sim/base/text_file.h"
#include "sim/money/bill.h"
#include "sim/topology/file/topology_file.h"
#include "sim/usage/shipped.h"

namespace quintet::test {
namespace {

namespace fs = std::filesystem;

const fs::path shipped = fs::path(QUINTET_SOURCE_DIR) / "traces/prices.json";

std::string spoilt(const std::string& old, const std::string& by) {
  std::string text = *read_text_file(shipped);
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), by);
}

std::string complaint(const std::string& text) {
  const Result<Prices> prices = parse_prices(text, "prices.json");
  return prices ? "" : prices.error().text();
}

TEST(Amounts, AreReadWithTheirUnit) {
  EXPECT_EQ(parse_dollars("25000 $")->value, 25000);
  EXPECT_EQ(parse_dollars("3.1 M$")->value, 3.1e6);
  EXPECT_EQ(parse_dollars("1.2k$")->value, 1200);
  EXPECT_EQ(parse_dollars(text(Dollars{0.081}))->value, 0.081);
  for (const char* const wrong : {"", "25000", "$", "3 EUR", "-1 $", "nan $", "inf $"})
    EXPECT_FALSE(parse_dollars(wrong)) << wrong;
}

TEST(ShippedPrices, HaveASourceAndAYearForEach) {
  const Result<Prices> prices = read_prices(shipped);
  ASSERT_TRUE(prices) << prices.error().text();
  EXPECT_EQ(prices->gpus.size(), 13u);
  EXPECT_EQ(prices->electricity.amount.usual.value, 0.081);
  EXPECT_FALSE(prices->drawn.usual);
  for (const GpuPrice& gpu : prices->gpus) {
    EXPECT_FALSE(gpu.bought.origin.source.empty()) << gpu.gpu;
    EXPECT_GE(gpu.rented_by_hour.origin.year, 2018) << gpu.gpu;
  }
}

// Machines without GPUs that are sold, tori of links that nobody sells, and the machines of a paper
// whose GPUs no shipped source prices are named here.
TEST(ShippedPrices, CoverTheShippedMachines) {
  const Prices prices = *read_prices(shipped);
  const std::set<std::string> no_price{"pipeline-4",  "pipeline-4-10ms", "pipeline-4-20ms",
                                       "torus-4x4x4", "a10-4",           "h800-8"};
  for (const std::string& name : shipped_names(FileKind::topology)) {
    const Result<Topology> topology = read_topology(*find_file(FileKind::topology, name));
    ASSERT_TRUE(topology) << name;
    const Result<Bill> bill = bill_of(*topology, prices);
    EXPECT_EQ(bool(bill), !no_price.contains(name)) << name << (bill ? "" : bill.error().text());
  }
}

TEST(PricesFile, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(complaint(spoilt("\"usual\": \"27500 $\"", "\"usual\": \"99999 $\"")),
            "prices.json: gpus[3].bought.usual: must lie from low to high; give those other values "
            "too");
  EXPECT_NE(complaint(spoilt("\"low\": \"24375 $\"", "\"low\": 24375")).find("gpus[3].bought.low"),
            std::string::npos);
  EXPECT_NE(complaint(spoilt("\"low\": \"24375 $\"", "\"low\": \"24375 EUR\""))
                .find("gpus[3].bought.low: expected an amount of money such as \"25000 $\""),
            std::string::npos);
  EXPECT_NE(complaint(spoilt("\"low\": \"24375 $\"", "\"low\": \"\"")).find("gpus[3].bought.low"),
            std::string::npos);
  EXPECT_NE(complaint(spoilt("\"pue\"", "\"peu\"")).find("pue"), std::string::npos);
  EXPECT_NE(complaint(spoilt("\"low\": 1.08", "\"low\": 0.9")).find("is below 1"),
            std::string::npos);
  EXPECT_NE(complaint(spoilt("\"up_to_gpus\": 4", "\"up_to_gpus\": 9")).find("ascending order"),
            std::string::npos);
}

TEST(PricesFile, TakesChangesAndBlamesThem) {
  const FieldChange cheap{"electricity.usual", "0.1 $", "--set prices.electricity.usual=0.1 $"};
  EXPECT_EQ(read_prices(shipped, {cheap})->electricity.amount.usual.value, 0.1);
  const FieldChange wrong{"pue.usual", "0.5", "--set prices.pue.usual=0.5"};
  const Result<Prices> refused = read_prices(shipped, {wrong});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("--set prices.pue.usual=0.5"), std::string::npos)
      << refused.error().text();
}

}  // namespace
}  // namespace quintet::test
