#include "engine/command/run_arguments.h"

#include "sim/shown_text.h"
#include "sim/usage/shipped.h"

namespace quintet::engine {

namespace {

Result<KernelChoice> kernel_choice(const std::string& word) {
  if (word == "reference") return KernelChoice::reference;
  if (word == "fast") return KernelChoice::fast;
  if (word == "onednn") return KernelChoice::onednn;
  return Error{"--kernels", "expected reference, fast or onednn, found " + in_quotes(word)};
}

std::optional<Error> out_of_range(const RunArguments& arguments) {
  const TrainingOptions& training = arguments.training;
  const auto wrong = [](const char* option, const char* accepted, double found) {
    return Error{option,
                 std::string("expected ") + accepted + ", found " + shown(std::to_string(found))};
  };
  if (training.steps < 1) return wrong("--steps", "1 or more", training.steps);
  if (arguments.ranks && *arguments.ranks < 1)
    return wrong("--ranks", "1 or more", *arguments.ranks);
  if (arguments.threads < 1) return wrong("--threads", "1 or more", arguments.threads);
  if (!(training.deadline > 0)) return wrong("--deadline", "more than 0", training.deadline);
  if (!(training.learning_rate >= 0))
    return wrong("--learning-rate", "0 or more", static_cast<double>(training.learning_rate));
  if (training.warm_up < 0) return wrong("--warm-up", "0 or more", training.warm_up);
  return std::nullopt;
}

}  // namespace

void add_run_options(CLI::App& app, RunArguments& into) {
  TrainingOptions& training = into.training;
  app.add_option("plan", into.plan, "Plan file, or name of a shipped plan")
      ->required()
      ->type_name("PLAN");
  app.add_option("--model", into.model, "Hugging Face config.json, its folder, or a shipped model")
      ->required()
      ->type_name("FILE");
  app.add_option("--data", into.data,
                 "Text (.txt), token shards of llm.c or nanoGPT (.bin), or folders of them")
      ->required()
      ->type_name("FILE");
  app.add_option("--tokenizer", training.tokenizer,
                 "tokenizer.json or its folder (GPT-2's kind); without it a byte is a token")
      ->type_name("FILE");
  app.add_option("--mask-token", into.mask_token, "BERT: the token that masks others")
      ->type_name("NUMBER");
  app.add_option("--ranks", into.ranks, "Processes to start; default: as many as the plan has")
      ->type_name("NUMBER");
  app.add_option("--steps", training.steps, "Steps to train (20)")->type_name("NUMBER");
  app.add_option("--seed", training.seed, "Of initial weights, order of data and masks (0)")
      ->type_name("NUMBER");
  app.add_option("--learning-rate", training.learning_rate, "(0.001)")->type_name("NUMBER");
  app.add_option("--warm-up", training.warm_up, "Steps until the learning rate is reached (0)")
      ->type_name("NUMBER");
  app.add_option("--weight-decay", training.weight_decay, "Of matrices (0.1)")->type_name("NUMBER");
  app.add_option("--clip", training.maximum_norm,
                 "Largest norm of gradients, where the plan clips (1)")
      ->type_name("NUMBER");
  app.add_option("--kernels", into.kernels, "reference, fast or onednn (fast)")->type_name("KIND");
  app.add_option("--threads", into.threads, "Of each rank, for oneDNN (1)")->type_name("NUMBER");
  app.add_option("--topology", into.topology,
                 "Machine the plan is for; default: each rank on a host of its own")
      ->type_name("FILE");
  app.add_option("--log", training.log, "Write a JSON line per step to this file")
      ->type_name("FILE");
  app.add_option("--deadline", training.deadline,
                 "Seconds that any communication may take before the job fails (60)")
      ->type_name("SECONDS");
  app.add_option("--address", into.address,
                 "Address, interface or network (10.1.0.0/16) to bind to (127.0.0.1)")
      ->type_name("ADDRESS");
  app.footer(
      "Examples:\n"
      "  quintet run tiny-gpt-tp2-pp2 --model tiny-gpt --data the-valley.txt --ranks 4\n"
      "Exit: 0 done, 1 a rank failed, 2 wrong usage or input.");
}

Result<TrainingOptions> checked(const RunArguments& arguments) {
  if (const auto wrong = out_of_range(arguments)) return *wrong;
  TrainingOptions training = arguments.training;
  const Result<KernelChoice> kernels = kernel_choice(arguments.kernels);
  if (!kernels) return kernels.error();
  training.kernels = *kernels;
  const Result<std::filesystem::path> plan = find_file(FileKind::plan, arguments.plan);
  if (!plan) return plan.error();
  const Result<std::filesystem::path> model = find_file(FileKind::model, arguments.model);
  if (!model) return model.error();
  training.plan = *plan;
  training.model = *model;
  if (!arguments.topology.empty()) {
    const Result<std::filesystem::path> topology =
        find_file(FileKind::topology, arguments.topology);
    if (!topology) return topology.error();
    training.topology = *topology;
  }
  training.data.assign(arguments.data.begin(), arguments.data.end());
  training.mask_token = arguments.mask_token;
  training.start =
      arguments.resume ? TrainingOptions::Start::resume : TrainingOptions::Start::fresh;
  return training;
}

}  // namespace quintet::engine
