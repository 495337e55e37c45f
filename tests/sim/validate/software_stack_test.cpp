#include "sim/validate/rows/software_stack.h"

#include <gtest/gtest.h>

#include <set>

namespace quintet {
namespace {

const std::filesystem::path shipped =
    std::filesystem::path(QUINTET_SOURCE_DIR) / "traces" / "stacks";

TEST(SoftwareStack, EveryShippedStackIsReadAndHasANameOfItsOwn) {
  const auto stacks = read_stacks(shipped);
  ASSERT_TRUE(stacks) << stacks.error().text();
  std::set<std::string> names;
  for (const SoftwareStack& stack : *stacks) names.insert(stack.name);
  EXPECT_EQ(names.size(), stacks->size());
  EXPECT_GT(stacks->size(), 10u);
}

TEST(SoftwareStack, TheLongestTextDecides) {
  const std::vector<SoftwareStack> stacks{{.name = "old", .frameworks = {"Megatron-LM"}},
                                          {.name = "new", .frameworks = {"Megatron-LM 0.14"}}};
  EXPECT_EQ(stack_of(stacks, "Megatron-LM 0.14 (TE)"), &stacks[1]);
  EXPECT_EQ(stack_of(stacks, "Megatron-LM PTD-P"), &stacks[0]);
  EXPECT_EQ(stack_of(stacks, "JAX"), nullptr);
}

TEST(SoftwareStack, UnknownKeysAndMissingSourcesAreRefused) {
  const std::string good = R"({"name": "x", "frameworks": ["x"], "source": "s",
      "kernels": {"source": "s"}, "model": {"tied_embeddings": true, "source": "s"},
      "plan": {"sharding": "none", "recompute": "none", "attention": "flash",
               "gradient_type": "fp32", "overlap_gradients": true, "overlap_parameters": true,
               "overlap_tensor": false, "source": "s"}})";
  const auto read = parse_stack(good, "x.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(read->tied_embeddings);
  std::string no_source = good;
  no_source.replace(no_source.find(R"("kernels": {"source": "s"})"), 26, R"("kernels": {})");
  EXPECT_FALSE(parse_stack(no_source, "x.json"));
  std::string unknown = good;
  unknown.replace(unknown.find("\"tied"), 5, "\"died");
  EXPECT_FALSE(parse_stack(unknown, "x.json"));
}

TEST(SoftwareStack, ItsCostsStandInForTheTables) {
  CostTable table;
  table.launch.eager = Seconds{1};
  table.fragmentation = 0.5;
  const CostTable made = with_stack(table, {.eager = Seconds{2}});
  EXPECT_EQ(made.launch.eager, Seconds{2});
  EXPECT_EQ(made.fragmentation, 0.5);
}

}  // namespace
}  // namespace quintet
