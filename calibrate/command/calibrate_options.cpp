#include "calibrate/command/calibrate_options.h"

#include "sim/asked/settings.h"

namespace quintet::calibrate {
namespace {

constexpr const char* processors[] = {"cpu", "gpu"};
constexpr const char* kernels[] = {"reference", "fast", "onednn"};

Options range_options(CalibrateArguments& into) {
  using enum Need;
  return {
      {"--smallest", &into.smallest,
       "Least width of a model for which the table shall hold; default: the least of --model", "",
       optional, WholeRange{1, 1 << 20}},
      {"--largest", &into.largest,
       "Greatest width of a model for which it shall hold; default: the greatest of --model", "",
       optional, WholeRange{1, 1 << 20}},
      {"--length", &into.length,
       "Longest sequence for which it shall hold, in tokens; default: 128, on GPUs 1024", "",
       optional, WholeRange{1, 1 << 20}},
      {"--tokens", &into.tokens,
       "Tokens of the largest micro-batch that is measured; the smallest has a quarter of it; "
       "default: 1024, on GPUs 16384",
       "", optional, WholeRange{1, 1 << 24}},
      {"--ranks", &into.ranks,
       "Ranks that compute at the same time; default: the topology's, at most 8", "", optional,
       WholeRange{1, 64}},
      {"--types", &into.types, "Number types to measure computing in; default: fp32, on GPUs bf16",
       "TYPE"},
      {"--target", &into.target,
       "Stop when operators that were left out are predicted with this median error, in percent",
       "", has_default, NumberRange{0.1, 100.0}},
      {"--time", &into.time, "Begin no further measurement of operators after so many seconds", "",
       has_default, NumberRange{1.0, 1e6}},
      {"--journal", &into.journal,
       "File that keeps what was measured, so that the same command goes on when it was killed; "
       "default: the output's name with .journal",
       "FILE"},
  };
}

Options message_options(CalibrateArguments& into) {
  using enum Need;
  return {
      {"--message-time", &into.message_time,
       "Seconds for measuring messages and collectives; measuring how much of the cores they take "
       "needs as long "
       "again, or half a minute; default: a fifth of --time",
       "", optional, NumberRange{0.0, 1e6}},
      {"--without-messages", &into.without_messages,
       "Measure operators only: needs no network namespaces; the table then predicts ranks that "
       "send nothing"},
      {"--without-operators", &into.without_operators, "Measure messages and collectives only"},
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
       "Hugging Face config.json, its folder, or a shipped model; without --plan several "
       "may be given: the table holds for their shapes, and for all widths between the least and "
       "the greatest",
       "FILE"},
      {"--plan", &into.plans,
       "Measure just the operators of these plans, and no curves that hold for others", "PLAN"},
      {"--measured", &into.measured,
       "Timelines that quintet run --timeline wrote of these plans, in their order: take "
       "operators' times from them, instead of running steps with no network between "
       "ranks",
       "FILE"},
      set_option(into.set),
      {"--topology", &into.topology,
       "The machine of the plans; messages are measured on links like its own", "FILE", required},
      {"--hosts", &into.hosts, "So many hosts instead of the topology file's number"},
      {"-o,--output", &into.output, "The cost table to write", "FILE", required},
      {"--device", &into.device,
       "What computes, as that of quintet run: cpu, or gpu (as many ranks as GPUs are here)", "",
       has_default, OneOf{processors}},
      {"--kernels", &into.kernels, "Kernels on CPU cores, as those of quintet run", "", has_default,
       OneOf{kernels}},
      {"--steps", &into.steps, "Steps of each plan that are measured", "", has_default,
       WholeRange{1, 1000}},
      {"--cores", &into.cores, "Cores that all ranks share", "", has_default, WholeRange{1, 4096}},
  };
}

}  // namespace

Options calibrate_options(CalibrateArguments& into) {
  return together({plan_options(into),
                   range_options(into),
                   message_options(into),
                   {{"--busy", &into.busy, "Measure although other programs use the machine"}}});
}

}  // namespace quintet::calibrate
