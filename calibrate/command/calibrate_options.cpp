#include "calibrate/command/calibrate_options.h"

#include "sim/asked/settings.h"

namespace quintet::calibrate {
namespace {

constexpr const char* processors[] = {"cpu", "gpu"};
constexpr const char* kernels[] = {"reference", "fast", "onednn"};

Options range_options(CalibrateArguments& into) {
  using enum Need;
  return {
      {"--smallest", &into.smallest, "Width from which curves hold; default: the models'", "",
       optional, WholeRange{1, 1 << 20}},
      {"--largest", &into.largest, "Width up to which they hold; default: the models'", "",
       optional, WholeRange{1, 1 << 20}},
      {"--length", &into.length, "Longest sequence they hold for; default: 128, on GPUs 1024", "",
       optional, WholeRange{1, 1 << 20}},
      {"--tokens", &into.tokens,
       "Of the largest micro-batch; the smallest has a quarter; default: 1024, on GPUs 16384", "",
       optional, WholeRange{1, 1 << 24}},
      {"--ranks", &into.ranks, "That share the machine; default: the topology's, at most 8", "",
       optional, WholeRange{1, 64}},
      {"--types", &into.types, "Of computing; default: fp32, on GPUs bf16", "TYPE"},
      {"--target", &into.target,
       "Stop when operators left out are predicted with this median error, in percent", "",
       has_default, NumberRange{0.1, 100.0}},
      {"--time", &into.time, "Seconds after which no further probe of operators begins", "",
       has_default, NumberRange{1.0, 1e6}},
      {"--journal", &into.journal,
       "Keeps what was measured, so that the same command goes on when it was killed; "
       "default: the output's name with .journal",
       "FILE"},
  };
}

Options message_options(CalibrateArguments& into) {
  using enum Need;
  return {
      {"--message-time", &into.message_time,
       "Seconds for messages and collectives; what they take of cores takes as long again, "
       "or half a minute; default: a fifth of --time",
       "", optional, NumberRange{0.0, 1e6}},
      {"--without-messages", &into.without_messages,
       "Operators only: needs no namespaces, and predicts ranks that share nothing"},
      {"--without-operators", &into.without_operators, "Messages and collectives only"},
      {"--address", &into.address,
       "Under mpirun or srun: the network to use, as an address of this host, an "
       "interface or a network such as 10.1.0.0/16",
       "", has_default},
      {"--rendezvous", &into.rendezvous,
       "Under mpirun or srun on several hosts: a file that all of them see, where rank 0 "
       "leaves its address",
       "FILE"},
      {"--token-file", &into.token_file,
       "The job's secret, readable by its owner only; default: the rendezvous with .token", "FILE"},
  };
}

Options plan_options(CalibrateArguments& into) {
  using enum Need;
  return {
      {"--model", &into.models,
       "Hugging Face config.json, its folder, or a shipped model; without --plan several: "
       "their proportions, and widths from the least to the greatest",
       "FILE"},
      {"--plan", &into.plans, "Measure the operators of these plans exactly, and no curves",
       "PLAN"},
      {"--measured", &into.measured,
       "Timelines that quintet run --timeline wrote of these plans, in their order: take "
       "operators' times from them, instead of running steps with no network between "
       "ranks",
       "FILE"},
      set_option(into.set),
      {"--topology", &into.topology, "The machine of the plans; messages take its links", "FILE",
       required},
      {"--hosts", &into.hosts, "How many hosts it has, instead of what the file says"},
      {"-o,--output", &into.output, "The cost table to write", "FILE", required},
      {"--device", &into.device,
       "What computes, as that of quintet run: cpu, or gpu (as many ranks as GPUs are here)", "",
       has_default, OneOf{processors}},
      {"--kernels", &into.kernels, "On CPU cores, as those of quintet run", "", has_default,
       OneOf{kernels}},
      {"--steps", &into.steps, "Steps of each plan that count", "", has_default,
       WholeRange{1, 1000}},
      {"--cores", &into.cores, "Cores that all ranks share", "", has_default, WholeRange{1, 4096}},
  };
}

}  // namespace

Options calibrate_options(CalibrateArguments& into) {
  return together({plan_options(into),
                   range_options(into),
                   message_options(into),
                   {{"--busy", &into.busy, "Measure although others use the machine"}}});
}

}  // namespace quintet::calibrate
