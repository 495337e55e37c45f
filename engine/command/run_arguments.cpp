#include "engine/command/run_arguments.h"

#include <unistd.h>

#include <array>
#include <cmath>

#include "sim/shown_text.h"
#include "sim/usage/shipped.h"

namespace quintet::engine {

namespace {

namespace fs = std::filesystem;
using Wrong = std::optional<Error>;

void add_rate_options(CLI::App& app, LearningRate& rate) {
  app.add_option("--learning-rate", rate.peak, "After the warm-up")
      ->default_str("0.001")
      ->type_name("NUMBER");
  app.add_option("--warm-up", rate.warm_up, "Steps over which the learning rate rises")
      ->capture_default_str()
      ->type_name("NUMBER");
  app.add_option("--decay", rate.decay,
                 "Step by which the rate has fallen, as half a cosine, to its lowest; 0: it stays")
      ->capture_default_str()
      ->type_name("NUMBER");
  app.add_option("--lowest-rate", rate.lowest, "What --decay leaves of it, as a share")
      ->default_str("0.1")
      ->type_name("NUMBER");
}

void add_scaling_options(CLI::App& app, LossScaling& scaling) {
  app.add_option("--loss-scale", scaling.initial,
                 "Gradients are computed so much larger; halved, and the step left out, when they "
                 "overflow; 1: never scaled")
      ->default_str("1")
      ->type_name("NUMBER");
  app.add_option("--loss-scale-interval", scaling.growth_interval,
                 "Steps without overflow until the scale doubles")
      ->capture_default_str()
      ->type_name("NUMBER");
}

void add_training_options(CLI::App& app, RunArguments& into) {
  TrainingOptions& training = into.training;
  app.add_option("--steps", training.steps, "Steps to train, those done before --resume included")
      ->capture_default_str()
      ->type_name("NUMBER");
  app.add_option("--seed", training.seed, "Of initial weights, order of the data, masks")
      ->capture_default_str()
      ->type_name("NUMBER");
  add_rate_options(app, training.learning_rate);
  app.add_option("--weight-decay", training.weight_decay, "Of matrices")
      ->default_str("0.1")
      ->type_name("NUMBER");
  add_scaling_options(app, training.loss_scaling);
  app.add_option("--clip", training.maximum_norm, "Largest gradient norm, where the plan clips")
      ->capture_default_str()
      ->type_name("NUMBER");
  app.add_option("--tokenizer", training.tokenizer,
                 "tokenizer.json or its folder (GPT-2's kind); without it a byte is a token")
      ->type_name("FILE");
  app.add_option("--mask-token", into.mask_token, "BERT: the token that stands for a masked one")
      ->type_name("NUMBER");
  app.add_option("--kernels", into.kernels, "reference, fast or onednn")
      ->capture_default_str()
      ->type_name("KIND");
  app.add_option("--threads", training.threads,
                 "Threads of each rank; only onednn uses more than one")
      ->capture_default_str()
      ->type_name("NUMBER");
}

void add_file_options(CLI::App& app, RunArguments& into) {
  TrainingOptions& training = into.training;
  app.add_option("--log", training.log, "Write a line of JSON per step to this file")
      ->type_name("FILE");
  app.add_option("--timeline", training.timeline,
                 "Write what every instruction took, in the median of the last 20 steps, as "
                 "`quintet simulate --trace` writes what it predicts")
      ->type_name("FILE");
  app.add_option("--weights", training.weights,
                 "Begin with these: safetensors file or folder, Hugging Face's names")
      ->type_name("FILE");
  app.add_option("--save-weights", training.save_weights, "Write them there at the end")
      ->type_name("FOLDER");
  app.add_option("--checkpoint", training.checkpoint, "Keep checkpoints there")
      ->type_name("FOLDER");
  app.add_option("--checkpoint-every", training.checkpoint_every,
                 "Steps between checkpoints; 0: one at the end")
      ->capture_default_str()
      ->type_name("NUMBER");
  app.add_option("--keep", training.keep, "Checkpoints to keep")
      ->capture_default_str()
      ->type_name("NUMBER");
  app.add_flag("--resume", into.resume, "Go on from the newest checkpoint, in any layout");
}

void add_place_options(CLI::App& app, RunArguments& into) {
  app.add_option("--ranks", into.ranks, "Processes; the plan's, and checked against it")
      ->type_name("NUMBER");
  app.add_option("--topology", into.topology,
                 "Machine the plan is for; default: each rank on a host of its own")
      ->type_name("FILE");
  app.add_option("--shape", into.shape,
                 "Run inside this topology: namespaces joined by links of its rates and latencies")
      ->type_name("FILE");
  app.add_option("--hosts", into.hosts,
                 "Start ranks on these hosts: lines NAME slots=N address=ADDRESS")
      ->type_name("FILE");
  app.add_option("--ssh", into.ssh, "Command that reaches a host")
      ->capture_default_str()
      ->type_name("COMMAND");
  app.add_option("--address", into.address,
                 "Address, interface or network (10.1.0.0/16) to bind to; default: 127.0.0.1")
      ->type_name("ADDRESS");
  app.add_option("--rendezvous", into.rendezvous,
                 "Under mpirun or srun on several hosts: a file in a folder that all see")
      ->type_name("FILE");
  app.add_option("--token-file", into.token_file,
                 "Under mpirun or srun: file of mode 600 with the job's token, if not in "
                 "$QUINTET_TOKEN")
      ->type_name("FILE");
  app.add_option("--deadline", into.training.deadline,
                 "Seconds after which a communication, and with it the job, has failed")
      ->capture_default_str()
      ->type_name("SECONDS");
}

Result<KernelChoice> kernel_choice(const std::string& word) {
  if (word == "reference") return KernelChoice::reference;
  if (word == "fast") return KernelChoice::fast;
  if (word == "onednn") return KernelChoice::onednn;
  return Error{"--kernels", "expected reference, fast or onednn, found " + in_quotes(word)};
}

struct Range {
  const char* option;
  double value, least, most;
};

std::string number_text(double value) {
  std::string text = std::to_string(value);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

Wrong out_of_range(const RunArguments& arguments) {
  const TrainingOptions& training = arguments.training;
  constexpr double many = 1e9;
  const std::array ranges{
      Range{"--steps", double(training.steps), 1, many},
      Range{"--ranks", double(arguments.ranks.value_or(1)), 1, 16384},
      Range{"--threads", double(training.threads), 1, 4096},
      Range{"--learning-rate", training.learning_rate.peak, 0, 1000},
      Range{"--warm-up", double(training.learning_rate.warm_up), 0, many},
      Range{"--decay", double(training.learning_rate.decay), 0, many},
      Range{"--lowest-rate", training.learning_rate.lowest, 0, 1},
      Range{"--loss-scale", training.loss_scaling.initial, 1, 4294967296},
      Range{"--loss-scale-interval", double(training.loss_scaling.growth_interval), 1, many},
      Range{"--weight-decay", double(training.weight_decay), 0, 1000},
      Range{"--clip", double(training.maximum_norm), 1e-6, many},
      Range{"--checkpoint-every", double(training.checkpoint_every), 0, many},
      Range{"--keep", double(training.keep), 1, many},
      Range{"--deadline", training.deadline, 1, 86400},
  };
  for (const Range& range : ranges)
    if (!(range.value >= range.least && range.value <= range.most))
      return Error{range.option, "expected " + number_text(range.least) + " to " +
                                     number_text(range.most) + ", found " +
                                     number_text(range.value)};
  return std::nullopt;
}

Wrong contradiction(const RunArguments& arguments) {
  const bool checkpoints = !arguments.training.checkpoint.empty();
  if (!checkpoints && arguments.resume)
    return Error{"--resume", "needs --checkpoint FOLDER, where the checkpoints are"};
  if (!checkpoints && arguments.training.checkpoint_every > 0)
    return Error{"--checkpoint-every", "needs --checkpoint FOLDER, where they are to be"};
  if (!arguments.shape.empty() && !arguments.topology.empty())
    return Error{"--shape", "names the topology already; leave out --topology"};
  if (!arguments.shape.empty() && (!arguments.hosts.empty() || !arguments.address.empty()))
    return Error{"--shape", "makes hosts and addresses itself; leave out --hosts and --address"};
  if (arguments.training.threads > 1 && arguments.kernels != "onednn")
    return Error{"--threads", "only --kernels onednn uses more than one, found " +
                                  std::to_string(arguments.training.threads)};
  const LearningRate& rate = arguments.training.learning_rate;
  if (rate.decay != 0 && rate.decay <= rate.warm_up)
    return Error{"--decay", "expected a step after the warm-up's " + std::to_string(rate.warm_up) +
                                ", found " + std::to_string(rate.decay)};
  if (arguments.ssh.find_first_not_of(' ') == std::string::npos)
    return Error{"--ssh", "expected a command"};
  return std::nullopt;
}

// Known before the work rather than after it.
Wrong nowhere_to_write(const TrainingOptions& training) {
  for (const auto& [option, file] :
       {std::pair{"--log", training.log}, std::pair{"--timeline", training.timeline}}) {
    if (file.empty()) continue;
    std::error_code error;
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, error))
      return Error{option + std::string(" ") + file.string(), "there is no such directory"};
    if (fs::is_directory(file, error))
      return Error{option + std::string(" ") + file.string(), "is a directory; name a file"};
    if (::access(folder.c_str(), W_OK) != 0)
      return Error{option + std::string(" ") + file.string(), "its directory cannot be written to"};
  }
  for (const auto& [option, folder] : {std::pair{"--checkpoint", training.checkpoint},
                                       std::pair{"--save-weights", training.save_weights}}) {
    std::error_code error;
    if (!folder.empty() && fs::exists(folder, error) && !fs::is_directory(folder, error))
      return Error{option + std::string(" ") + folder.string(), "is a file; name a folder"};
  }
  return std::nullopt;
}

}  // namespace

void add_run_options(CLI::App& app, RunArguments& into) {
  app.add_option("plan", into.plan, "Plan file, or name of a shipped plan")
      ->required()
      ->type_name("PLAN");
  app.add_option("--model", into.model, "Hugging Face config.json, its folder, or a shipped model")
      ->required()
      ->type_name("FILE");
  app.add_option(
         "--data", into.data,
         "Text, token shards of llm.c or nanoGPT (.bin), or a folder of shards; may be repeated")
      ->required()
      ->allow_extra_args(false)  // a plan may follow; several: --data again
      ->type_name("FILE");
  add_training_options(app, into);
  add_file_options(app, into);
  add_place_options(app, into);
  app.footer(
      "Examples:\n"
      "  quintet run tiny-gpt-tp2-pp2 --model tiny-gpt --data the-valley --steps 10\n"
      "  quintet run tiny-gpt-dp4 --model tiny-gpt --data the-valley --steps 10 --timeline "
      "measured.json --log log.jsonl\n"
      "Under mpirun or srun the same command takes its rank from the environment:\n"
      "  mpirun -n 4 quintet run tiny-gpt-zero3 --model tiny-gpt --data the-valley\n"
      "Exit: 0 done, 1 a rank failed or the run was interrupted, 2 wrong usage or input.");
}

Result<TrainingOptions> checked(const RunArguments& arguments) {
  for (const auto check : {out_of_range, contradiction})
    if (auto wrong = check(arguments)) return *wrong;
  TrainingOptions training = arguments.training;
  if (auto wrong = nowhere_to_write(training)) return *wrong;
  const Result<KernelChoice> kernels = kernel_choice(arguments.kernels);
  if (!kernels) return kernels.error();
  training.kernels = *kernels;
  if (training.loss_scaling.initial != 1) training.loss_scaling.growth = 2;
  const Result<fs::path> plan = find_file(FileKind::plan, arguments.plan);
  if (!plan) return plan.error();
  const Result<fs::path> model = find_file(FileKind::model, arguments.model);
  if (!model) return model.error();
  training.plan = *plan;
  training.model = *model;
  const std::string& machine = arguments.shape.empty() ? arguments.topology : arguments.shape;
  if (!machine.empty()) {
    const Result<fs::path> topology = find_file(FileKind::topology, machine);
    if (!topology) return topology.error();
    training.topology = *topology;
  }
  if (!arguments.shape.empty()) training.shaped = TrainingOptions::Shaped::yes;
  for (const std::string& given : arguments.data) {
    const Result<fs::path> data = find_file(FileKind::text, given);
    if (!data) return data.error();
    training.data.push_back(*data);
  }
  training.mask_token = arguments.mask_token;
  training.start =
      arguments.resume ? TrainingOptions::Start::resume : TrainingOptions::Start::fresh;
  return training;
}

}  // namespace quintet::engine
