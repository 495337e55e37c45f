#include "engine/command/run_arguments.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "sim/asked/settings.h"
#include "sim/base/shown_text.h"
#include "sim/usage/shipped.h"

namespace quintet::engine {

namespace {

namespace fs = std::filesystem;
using Wrong = std::optional<Error>;

Result<KernelChoice> kernel_choice(const std::string& word) {
  if (word == "reference") return KernelChoice::reference;
  if (word == "fast") return KernelChoice::fast;
  if (word == "onednn") return KernelChoice::onednn;
  return Error{"--kernels", "expected reference, fast or onednn, found " + in_quotes(word)};
}

Result<Processor> processor(const std::string& word) {
  if (word == "cpu") return Processor::cpu;
  if (word == "gpu") return Processor::gpu;
  return Error{"--device", "expected cpu or gpu, found " + in_quotes(word)};
}

Result<Carry> carry(const std::string& word) {
  if (word == "plan") return Carry::plan;
  if (word == "nccl") return Carry::nccl;
  if (word == "host") return Carry::host;
  return Error{"--carry", "expected plan, nccl or host, found " + in_quotes(word)};
}

Result<CaptureChoice> capture(const std::string& word) {
  if (word == "cupti") return CaptureChoice::cupti;
  if (word == "events") return CaptureChoice::events;
  return Error{"--capture", "expected cupti or events, found " + in_quotes(word)};
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
      Range{"--validate-every", double(training.validation.every), 0, many},
      Range{"--validate-sequences", double(training.validation.sequences), 1, many},
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
  if (arguments.validate.empty() && arguments.training.validation.every > 0)
    return Error{"--validate-every", "needs --validate FILE or SHARE: what to validate on"};
  if (arguments.memory_check != "on" && arguments.memory_check != "off")
    return Error{"--memory-check",
                 "expected on or off, found " + in_quotes(arguments.memory_check)};
  if (!arguments.faults.empty() && arguments.shape.empty())
    return Error{"--faults", "is done to shaped links; name their topology by --shape"};
  if (!arguments.shape.empty() && !arguments.topology.empty())
    return Error{"--shape", "names the topology already; leave out --topology"};
  if (!arguments.shape.empty() && (!arguments.hosts.empty() || !arguments.address.empty()))
    return Error{"--shape", "makes hosts and addresses itself; leave out --hosts and --address"};
  if (arguments.training.threads > 1 && arguments.kernels != "onednn")
    return Error{"--threads", fmt::format("only --kernels onednn uses more than one, found {}",
                                          arguments.training.threads)};
  const LearningRate& rate = arguments.training.learning_rate;
  if (rate.decay != 0 && rate.decay <= rate.warm_up)
    return Error{"--decay", fmt::format("expected a step after the warm-up's {}, found {}",
                                        rate.warm_up, rate.decay)};
  if (arguments.ssh.find_first_not_of(' ') == std::string::npos)
    return Error{"--ssh", "expected a command"};
  return std::nullopt;
}

Wrong contradiction_of_places(const RunArguments& arguments) {
  const bool gpu = arguments.device == "gpu", carried = arguments.carry != "plan";
  if (gpu && arguments.kernels != "fast")
    return Error{"--kernels", "are the CPU's; leave it out on GPUs, which have their own"};
  if (gpu && !arguments.validate.empty())
    return Error{"--validate",
                 "is not there on GPUs yet, whose memory is laid out for steps alone; "
                 "leave it out, or --device gpu"};
  if (carried && !gpu) return Error{"--carry", "is about data between GPUs; it needs --device gpu"};
  if (arguments.capture != "cupti" && (!gpu || arguments.training.timeline.empty()))
    return Error{"--capture", "is about times of a GPU; it needs --device gpu and --timeline FILE"};
  if (!arguments.one_process) return std::nullopt;
  if (carried) return Error{"--one-process", "keeps all data in one memory; leave out --carry"};
  for (const auto& [option, given] :
       {std::pair{"--hosts", arguments.hosts}, std::pair{"--shape", arguments.shape},
        std::pair{"--address", arguments.address}})
    if (!given.empty())
      return Error{"--one-process", std::string("has no network; leave out ") + option};
  return std::nullopt;
}

// A number is a share, anything else a file.
Result<ValidationOptions> validation_of(const RunArguments& arguments) {
  ValidationOptions validation = arguments.training.validation;
  const std::string& given = arguments.validate;
  if (given.empty()) return validation;
  char* end = nullptr;
  const double share = std::strtod(given.c_str(), &end);
  if (*end != '\0') {
    const Result<fs::path> data = find_file(FileKind::text, given);
    if (!data) return Error{"--validate", data.error().text()};
    validation.data = *data;
    return validation;
  }
  if (!(share > 0 && share < 1))
    return Error{"--validate",
                 "expected a file, or a share above 0 and below 1, found " + in_quotes(given)};
  validation.share = share;
  return validation;
}

}  // namespace

Result<TrainingOptions> checked(const RunArguments& arguments) {
  for (const auto check : {out_of_range, contradiction, contradiction_of_places})
    if (auto wrong = check(arguments)) return *wrong;
  TrainingOptions training = arguments.training;
  const Result<ValidationOptions> validation = validation_of(arguments);
  if (!validation) return validation.error();
  training.validation = *validation;
  const Result<KernelChoice> kernels = kernel_choice(arguments.kernels);
  if (!kernels) return kernels.error();
  training.kernels = *kernels;
  const Result<Processor> computes = processor(arguments.device);
  if (!computes) return computes.error();
  training.processor = *computes;
  const Result<CaptureChoice> captures = capture(arguments.capture);
  if (!captures) return captures.error();
  training.capture = *captures;
  const Result<Carry> carries = carry(arguments.carry);
  if (!carries) return carries.error();
  training.carry = *carries;
  if (arguments.one_process) training.ranks = RankKind::threads;
  if (training.loss_scaling.initial != 1) training.loss_scaling.growth = 2;
  const Result<fs::path> plan = find_file(FileKind::plan, arguments.plan);
  if (!plan) return plan.error();
  const Result<fs::path> model = find_file(FileKind::model, arguments.model);
  if (!model) return model.error();
  training.plan = *plan;
  const Result<AskedChanges> asked =
      one_combination(arguments.set, {AskedFile::plan, AskedFile::topology},
                      "training takes the time it takes, and reads no costs");
  if (!asked) return asked.error();
  training.plan_changes = asked->plan;
  training.topology_changes = asked->topology;
  training.model = *model;
  if (!training.topology_changes.empty() && arguments.shape.empty() && arguments.topology.empty())
    return Error{training.topology_changes.front().asked,
                 "is of the machine, which --topology or --shape names"};
  const std::string& machine = arguments.shape.empty() ? arguments.topology : arguments.shape;
  if (!machine.empty()) {
    const Result<fs::path> topology = find_file(FileKind::topology, machine);
    if (!topology) return topology.error();
    training.topology = *topology;
  }
  if (!arguments.shape.empty()) training.shaped = TrainingOptions::Shaped::yes;
  if (!arguments.faults.empty()) training.beginning = TrainingOptions::Beginning::said;
  for (const std::string& given : arguments.data) {
    const Result<fs::path> data = find_file(FileKind::text, given);
    if (!data) return data.error();
    training.data.push_back(*data);
  }
  if (!arguments.costs.empty())
    if (const auto costs = find_file(FileKind::costs, arguments.costs); !costs)
      return costs.error();
  training.mask_token = arguments.mask_token;
  training.start =
      arguments.resume ? TrainingOptions::Start::resume : TrainingOptions::Start::fresh;
  return training;
}

}  // namespace quintet::engine
