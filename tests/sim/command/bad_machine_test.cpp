// Machines and cost tables that say something impossible.
#include <gtest/gtest.h>

#include "tests/sim/command/bad_input.h"

namespace quintet::test {
namespace {

const std::string host = "hosts/dgx-a100.json";

const std::vector<BadInput>& rows() {
  static const std::vector<BadInput> all{
      {"WrongUnit",
       replaced(host, "\"200 Gb/s\"", "\"50 Gbit\""),
       {host, "nic.bandwidth", "50 Gbit", "GB/s"}},
      {"UnitOfAnotherQuantity",
       replaced(host, "\"300 GB/s\"", "\"300 us\""),
       {host, "nvlink.bandwidth", "300 us", "GB/s"}},
      {"BareNumber",
       replaced(host, "\"200 Gb/s\"", "200"),
       {host, "nic.bandwidth", "200", "450 GB/s"}},
      {"NegativeBandwidth",
       replaced(host, "\"200 Gb/s\"", "\"-200 Gb/s\""),
       {host, "nic.bandwidth", "must not be negative", "-200 Gb/s"}},
      {"ZeroBandwidth",
       replaced("chain.json", "\"100 TB/s\"", "\"0 GB/s\""),
       {"chain.json", "network.links[0].bandwidth", "more than zero", "0 GB/s"},
       on_chain()},
      {"InfiniteBandwidth",
       replaced(host, "\"200 Gb/s\"", "\"inf Gb/s\""),
       {host, "nic.bandwidth", "inf Gb/s"}},
      {"LatencyOfAYear",
       replaced("chain.json", "\"0 s\"", "\"3e7 s\""),
       {"chain.json", "network.links[0].latency", "at most"},
       on_chain()},
      {"UnknownKeyInMachine",
       replaced("machine.json", "\"hosts\": 1", "\"hossts\": 1"),
       {"machine.json", "hossts", "did you mean \"hosts\""}},
      {"UnknownKeyInHost",
       replaced(host, "\"idle_power\"", "\"idel_power\""),
       {host, "gpu", "idel_power", "did you mean \"idle_power\""}},
      {"HostFileThatIsNotThere",
       replaced("machine.json", "hosts/dgx-a100.json", "hosts/dgx-a1000.json"),
       {"machine.json", "host", "hosts/dgx-a1000.json", "no such file"}},
      {"HostFileThatIsNoHost",
       replaced("machine.json", "hosts/dgx-a100.json", "../../../../../../etc/passwd"),
       {"etc/passwd", "line 1, column 1", "not valid JSON"}},
      {"MachineThatIsItsOwnHost",
       replaced("machine.json", "hosts/dgx-a100.json", "machine.json"),
       {"machine.json", "family", "is missing", "gpu, cpu, custom"}},
      {"DisconnectedGraph",
       replaced("chain.json", "\"from\": \"stage1\",\n        \"to\": \"stage2\"",
                "\"from\": \"stage1\",\n        \"to\": \"stage0\""),
       {"chain.json", "network", "not connected", "add links"},
       on_chain()},
      {"LinkToNowhere",
       replaced("chain.json", "\"to\": \"stage3\"", "\"to\": \"stage4\""),
       {"chain.json", "network.links[3]", "no device \"stage4\""},
       on_chain()},
      {"HostsWithoutANetwork",
       replaced("machine.json", "\"hosts\": 1", "\"hosts\": 2"),
       {"machine.json", "network", "no link to a network switch", "add a network"}},
      {"WrongWord",
       replaced("chain.json", "\"infiniband\"", "\"ethernet\""),
       {"chain.json", "network.protocol", "\"ethernet\"", "infiniband, roce, tcp"},
       on_chain()},
      {"NoHosts",
       replaced("machine.json", "\"hosts\": 1", "\"hosts\": 0"),
       {"machine.json", "hosts", "from 1 to 131072", "0"}},
      {"NumberWithoutSource",
       replaced(host, "\"source\": \"NVIDIA ConnectX-6", "\"fit\": \"NVIDIA ConnectX-6"),
       {host, "nic.source", "is missing", "data sheet"}},
      {"CostsUnknownKey",
       replaced("costs.json", "\"framework_memory\"", "\"framework_memroy\""),
       {"costs.json", "framework_memroy", "did you mean \"framework_memory\""}},
      {"CostsBareNumber",
       replaced("costs.json", "\"framework_memory\": \"2 GB\"", "\"framework_memory\": 2"),
       {"costs.json", "framework_memory", "2", "80 GiB"}},
      {"CostsOfAnotherGpu",
       [](const World&) {},
       {"h100-sxm-80gb.json", "gpu", "H100-SXM-80GB", "machine.json", "A100-SXM-80GB", "--costs"},
       {"simulate", "plan.json", "--model", "model.json", "--topology", "machine.json", "--costs",
        "h100-sxm-80gb"}},
      {"CostsWithoutTheType",
       replaced("plan.json", "\"compute_type\": \"bf16\"", "\"compute_type\": \"fp32\""),
       {"costs.json", "fp32", "bf16"}},
      {"CostsForFewerStages",
       [](const World& world) {
         world.replace("chain_costs.json",
                       ",\n    { \"forward\": \"10 ms\", \"input_gradient\": \"10 ms\", "
                       "\"weight_gradient\": \"10 ms\", \"update\": \"0 ms\" }\n",
                       "\n");
       },
       {"chain_costs.json", "stages", "3 stages", "4"},
       on_chain()},
      {"EfficiencyAboveOne",
       replaced("costs.json", "\"efficiency\": 0.6906", "\"efficiency\": 69.06"),
       {"costs.json", "gemm[0].tiles[0].efficiency", "0.001 to 1.2", "69.06"}},
      {"NoGpusToCost",
       [](const World&) {},
       {"cpu-core", "has no measured time of", "quintet calibrate", "--costs names another table"},
       {"simulate", "plan.json", "--model", "model.json", "--topology", "ethernet-cpu-4", "--hosts",
        "8", "--set", "parallelism.compute_type=fp16"}},
  };
  return all;
}

class BadMachine : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadMachine, IsRefusedWithItsPlaceAndARemedy) {
  expect_refused(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Command, BadMachine, ::testing::ValuesIn(rows()),
                         name_of_input<::testing::TestParamInfo<BadInput>>);

}  // namespace
}  // namespace quintet::test
