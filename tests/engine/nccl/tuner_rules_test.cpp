#include "engine/nccl/tuner_rules.h"

#include <gtest/gtest.h>

namespace quintet::engine {
namespace {

std::string error_of(const std::string& text) {
  const Result<TunerRules> rules = parse_rules(text, "rules");
  return rules ? "none" : rules.error().text();
}

TEST(TunerRules, ComeBackFromTheirText) {
  const TunerRules rules{"data",
                         {{.kind = CollectiveKind::all_reduce,
                           .from_bytes = 0,
                           .to_bytes = 65536,
                           .algorithm = Algorithm::ring,
                           .protocol = Protocol::ll,
                           .channels = 4},
                          {.kind = CollectiveKind::all_reduce, .algorithm = Algorithm::nvls_tree},
                          {.kind = CollectiveKind::all_gather, .protocol = Protocol::ll128}}};
  EXPECT_EQ(rules_text(rules),
            "communicator data\n"
            "# kind bytes algorithm protocol channels\n"
            "all-reduce 0-65536 ring ll 4\n"
            "all-reduce * nvls-tree * *\n"
            "all-gather * * ll128 *\n");
  const Result<TunerRules> back = parse_rules(rules_text(rules), "rules");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(*back, rules);
}

TEST(TunerRules, TheFirstThatMatchesDecides) {
  const TunerRules rules{"data",
                         {{.kind = CollectiveKind::all_reduce, .to_bytes = 100, .channels = 1},
                          {.kind = CollectiveKind::all_reduce, .channels = 2}}};
  EXPECT_EQ(rule_for(rules, CollectiveKind::all_reduce, 100), &rules.rules[0]);
  EXPECT_EQ(rule_for(rules, CollectiveKind::all_reduce, 101), &rules.rules[1]);
  EXPECT_EQ(rule_for(rules, CollectiveKind::all_gather, 1), nullptr);
}

TEST(TunerRules, WhatIsWrongIsNamedWithItsLineAndWhatIsAccepted) {
  const std::string head = "communicator data\n\n";
  EXPECT_EQ(error_of(""), "rules: is empty; accepted: communicator NAME, then rules");
  EXPECT_EQ(error_of("all-reduce * * * *\n"),
            "rules: line 1: found \"all-reduce * * * *\"; accepted first: communicator NAME");
  EXPECT_EQ(error_of(head + "allreduce * * * *\n"),
            "rules: line 3: \"allreduce\" is no collective; accepted: all-reduce, reduce-scatter, "
            "all-gather, broadcast, reduce");
  EXPECT_EQ(error_of(head + "reduce 9-8 * * *\n"),
            "rules: line 3: \"9-8\" is no range of bytes; accepted: FIRST-LAST or *");
  EXPECT_EQ(error_of(head + "reduce 9 * * *\n"),
            "rules: line 3: \"9\" is no range of bytes; accepted: FIRST-LAST or *");
  EXPECT_EQ(error_of(head + "reduce * direct * *\n"),
            "rules: line 3: \"direct\" is no algorithm of NCCL; accepted: tree, ring, "
            "collnet-direct, collnet-chain, nvls, nvls-tree, pat");
  EXPECT_EQ(error_of(head + "reduce * ring LL *\n"),
            "rules: line 3: \"LL\" is no protocol; accepted: ll, ll128, simple");
  EXPECT_EQ(error_of(head + "reduce * ring ll 65\n"),
            "rules: line 3: \"65\" is no number of channels; accepted: 1 to 64 or *");
  EXPECT_EQ(error_of(head + "reduce * ring ll\n"),
            "rules: line 3: found 4 words; accepted: KIND BYTES ALGORITHM PROTOCOL CHANNELS");
}

}  // namespace
}  // namespace quintet::engine
