#include "calibrate/command/calibrate_options.h"

namespace quintet::calibrate {
namespace {

void add_range_options(CLI::App& app, CalibrateArguments& into) {
  const auto number = [&](const char* name, int& value, const char* what, int most) {
    return app.add_option(name, value, what)->check(CLI::Range(1, most));
  };
  number("--smallest", into.smallest, "Width from which curves hold; default: the models'",
         1 << 20);
  number("--largest", into.largest, "Width up to which they hold; default: the models'", 1 << 20);
  number("--length", into.length, "Longest sequence they hold for; default: 128, on GPUs 1024",
         1 << 20);
  number("--tokens", into.tokens,
         "Of the largest micro-batch; the smallest has a quarter; default: 1024, on GPUs 16384",
         1 << 24);
  number("--ranks", into.ranks, "That share the machine; default: the topology's, at most 8", 64);
  app.add_option("--types", into.types, "Of computing; default: fp32, on GPUs bf16")
      ->type_name("TYPE");
  app.add_option("--target", into.target,
                 "Stop when operators left out are predicted with this median error, in percent")
      ->check(CLI::Range(0.1, 100.0))
      ->capture_default_str();
  app.add_option("--time", into.time, "Seconds after which no further probe of operators begins")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str();
  app.add_option("--journal", into.journal,
                 "Keeps what was measured, so that the same command goes on when it was killed; "
                 "default: the output's name with .journal")
      ->type_name("FILE");
}

void add_message_options(CLI::App& app, CalibrateArguments& into) {
  app.add_option(
         "--message-time", into.message_time,
         "Seconds for messages and collectives; what they take of cores takes as long again, "
         "or half a minute; default: a fifth of --time")
      ->check(CLI::Range(0.0, 1e6));
  app.add_flag("--without-messages", into.without_messages,
               "Operators only: needs no namespaces, and predicts ranks that share nothing");
  app.add_flag("--without-operators", into.without_operators, "Messages and collectives only");
  app.add_option("--address", into.address,
                 "Under mpirun or srun: the network to use, as an address of this host, an "
                 "interface or a network such as 10.1.0.0/16")
      ->capture_default_str();
  app.add_option("--rendezvous", into.rendezvous,
                 "Under mpirun or srun on several hosts: a file that all of them see, where rank 0 "
                 "leaves its address")
      ->type_name("FILE");
  app.add_option(
         "--token-file", into.token_file,
         "The job's secret, readable by its owner only; default: the rendezvous with .token")
      ->type_name("FILE");
}

}  // namespace

void add_calibrate_options(CLI::App& app, CalibrateArguments& into) {
  app.add_option(
         "--model", into.models,
         "Hugging Face config.json, its folder, or a shipped model; without --plan several: "
         "their proportions, and widths from the least to the greatest")
      ->type_name("FILE");
  app.add_option("--plan", into.plans,
                 "Measure the operators of these plans exactly, and no curves")
      ->type_name("PLAN");
  app.add_option("--measured", into.measured,
                 "Timelines that quintet run --timeline wrote of these plans, in their order: take "
                 "operators' times from them, instead of running steps with no network between "
                 "ranks")
      ->type_name("FILE");
  app.add_option("--topology", into.topology, "The machine of the plans; messages take its links")
      ->required()
      ->type_name("FILE");
  app.add_option("--hosts", into.hosts, "How many hosts it has, instead of what the file says");
  app.add_option("-o,--output", into.output, "The cost table to write")
      ->required()
      ->type_name("FILE");
  app.add_option(
         "--device", into.device,
         "What computes, as that of quintet run: cpu, or gpu (as many ranks as GPUs are here)")
      ->check(CLI::IsMember({"cpu", "gpu"}))
      ->capture_default_str();
  app.add_option("--kernels", into.kernels, "On CPU cores, as those of quintet run")
      ->check(CLI::IsMember({"reference", "fast", "onednn"}))
      ->capture_default_str();
  app.add_option("--steps", into.steps, "Steps of each plan that count")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--cores", into.cores, "Cores that all ranks share")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  add_range_options(app, into);
  add_message_options(app, into);
  app.add_flag("--busy", into.busy, "Measure although others use the machine");
}

}  // namespace quintet::calibrate
