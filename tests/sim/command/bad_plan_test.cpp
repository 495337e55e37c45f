// Models and plans that cannot be, alone or together.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/sim/command/bad_input.h"

namespace quintet::test {
namespace {

std::function<void(const World&)> degrees(const std::string& tensor, const std::string& data,
                                          const std::string& more = "") {
  return replaced("plan.json", "\"tensor\": 4,\n    \"data\": 2,",
                  "\"tensor\": " + tensor + ",\n    \"data\": " + data + "," + more);
}

const std::vector<BadInput>& rows() {
  static const std::vector<BadInput> all{
      {"MixtureOfExperts",
       replaced("model.json", "\"n_layer\"", "\"num_local_experts\": 8, \"n_layer\""),
       {"model.json", "num_local_experts", "mixture of experts", "not modelled", "qwen3"}},
      {"UnknownFamily",
       replaced("model.json", "\"gpt2\"", "\"mamba\""),
       {"model.json", "model_type", "\"mamba\"", "llama"}},
      {"NegativeLayers",
       replaced("model.json", "\"n_layer\": 12", "\"n_layer\": -12"),
       {"model.json", "n_layer", "from 1 to 10000", "-12"}},
      {"LayersAsText",
       replaced("model.json", "\"n_layer\": 12", "\"n_layer\": \"12\""),
       {"model.json", "n_layer", "whole number", "\"12\""}},
      {"HeadsThatDoNotDivideTheWidth",
       replaced("model.json", "\"n_head\": 12", "\"n_head\": 13"),
       {"model.json", "n_head", "13 heads do not divide the width 768", "give head_dim"}},
      {"MissingField",
       replaced("model.json", "\"n_embd\": 768,", ""),
       {"model.json", "n_embd", "is missing"}},
      {"TwelveHeadsOverEightRanks",
       degrees("8", "1"),
       {"plan.json", "parallelism.tensor", "12 attention heads cannot be split over 8 ranks",
        "use 1, 2, 3"}},
      {"DegreesThatDoNotFillTheMachine",
       degrees("2", "2"),
       {"plan.json", "parallelism", "multiply to 4 ranks", "8 places", "parallelism.data to 4"}},
      {"LayersThatDoNotDivideByStages",
       [](const World& world) { degrees("1", "1", "\n    \"pipeline\": 8,")(world); },
       {"plan.json", "parallelism.pipeline", "12 layers do not divide evenly over 8", "use 1, 2"}},
      {"WarmUpsThatDoNotFit",
       replaced("chain_plan.json", "[7, 5, 3, 1]", "[13, 5, 3, 1]"),
       {"chain_plan.json", "parallelism.warm_ups", "more forwards than the 12", "use 12 or less"},
       on_chain()},
      {"WarmUpsForFewerStages",
       replaced("chain_plan.json", "[7, 5, 3, 1]", "[7, 5, 1]"),
       {"chain_plan.json", "parallelism.warm_ups", "3 entries", "one per stage, 4"},
       on_chain()},
      {"NegativeWarmUp",
       replaced("chain_plan.json", "[7, 5, 3, 1]", "[7, 5, 3, -1]"),
       {"chain_plan.json", "parallelism.warm_ups[3]", "-1", "from 0"},
       on_chain()},
      {"UnknownKeyInPlan",
       replaced("plan.json", "\"micro_batches\"", "\"micro_bathces\""),
       {"plan.json", "parallelism.micro_bathces", "did you mean \"micro_batches\""}},
      {"MisspeltParallelism",
       replaced("plan.json", "\"parallelism\"", "\"paralelism\""),
       {"plan.json: paralelism: unknown key", "did you mean \"parallelism\""}},
      {"UnknownSectionInPlan",
       replaced("plan.json", "\"ccl\"", "\"cll\""),
       {"plan.json", "cll", "did you mean \"ccl\""}},
      {"WrongWordInPlan",
       replaced("plan.json", "\"1f1b\"", "\"1f2b\""),
       {"plan.json", "parallelism.schedule",
        "gpipe, 1f1b, interleaved, zb-h1, zb-h2, warm-up, adapted", "\"1f2b\"",
        "did you mean \"1f1b\""}},
      {"BareNumberInPlan",
       replaced("plan.json", "\"25 MB\"", "25000000"),
       {"plan.json", "ccl.bucket", "25000000", "80 GiB"}},
      {"BucketOfLessThanAByte",
       replaced("plan.json", "\"25 MB\"", "\"1e-09 MB\""),
       {"plan.json", "ccl.bucket", "\"0.001 B\"", "65536 buckets", "use 0 B (one bucket), or"}},
      {"AMillionMicroBatches",
       replaced("plan.json", "\"micro_batches\": 4", "\"micro_batches\": 1000000"),
       {"plan.json", "parallelism.micro_batches", "1000000 micro-batches of 12 layers",
        "use 21845 or less"}},
      // 12 forwards of more than 10 days each run over the 106 days of event time.
      {"AStepOfMoreThanAHundredDays",
       replaced("chain_costs.json", "\"forward\": \"10 ms\"", "\"forward\": \"1000000 s\""),
       {"chain_plan.json", "parallelism", "12 micro-batches", "longer than 106.8 days",
        "use fewer tokens a step"},
       on_chain()},
      {"FractionOfARank",
       degrees("2.5", "2"),
       {"plan.json", "parallelism.tensor", "whole number", "2.5"}},
      {"ZeroRanks", degrees("0", "2"), {"plan.json", "parallelism.tensor", "from 1", "0"}},
      {"MoreRanksThanThereAre",
       degrees("1048576", "1048576"),
       {"plan.json", "parallelism.data", "multiply to more than 1048576"}},
      {"SequenceLongerThanTheModel",
       replaced("plan.json", "\"sequence_length\": 1024", "\"sequence_length\": 2048"),
       {"plan.json", "parallelism.sequence_length", "2048 is longer", "use 1024 or less"}},
      {"SequenceLengthForgotten",
       replaced("plan.json", "\"sequence_length\": 1024,", ""),
       {"plan.json", "parallelism.sequence_length", "is missing"}},
      {"ManyProblemsAtOnce",
       degrees("8", "2", "\n    \"pipeline\": 5,"),
       {"plan.json: does not fit this model on this machine\n", "  parallelism: ",
        "\n  parallelism.tensor: 12 attention", "\n  parallelism.pipeline: 12 layers"}},
      {"TwoPlansOfOneName",
       [](const World& world) {
         std::filesystem::copy(world.folder() / "plan.json", world.folder() / "other.json");
       },
       {"other.json", "name", "gpt2-tp4-dp2", "plan.json", "another name"},
       {"simulate", "plan.json", "other.json", "--model", "model.json", "--topology",
        "machine.json"}},
      {"TwoPlansWhoseTracesCollide",
       [](const World& world) {
         std::filesystem::copy(world.folder() / "plan.json", world.folder() / "other.json");
         world.replace("plan.json", "gpt2-tp4-dp2", "tp4/dp2");
         world.replace("other.json", "gpt2-tp4-dp2", "tp4-dp2");
       },
       {"other.json", "name", "step-tp4-dp2.json", "plan.json", "another name"},
       {"simulate", "plan.json", "other.json", "--model", "model.json", "--topology",
        "machine.json", "--trace", "step.json"}},
  };
  return all;
}

class BadPlan : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadPlan, IsRefusedWithItsPlaceAndARemedy) {
  expect_refused(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Command, BadPlan, ::testing::ValuesIn(rows()),
                         name_of_input<::testing::TestParamInfo<BadInput>>);

}  // namespace
}  // namespace quintet::test
