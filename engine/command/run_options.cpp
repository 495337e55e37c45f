#include "engine/command/run_arguments.h"
#include "sim/asked/settings.h"
#include "sim/base/shown_text.h"

namespace quintet::engine {

namespace {

Options input_options(RunArguments& into) {
  using enum Need;
  return {
      {"plan", &into.plan, "Plan file, or name of a shipped plan", "PLAN", required},
      {"--model", &into.model, "Hugging Face config.json, its folder, or a shipped model", "FILE",
       required},
      // A plan may follow: several only by --data again.
      {.names = "--data",
       .into = &into.data,
       .does =
           "Text, token shards of llm.c or nanoGPT (.bin), or a folder of shards; may be repeated",
       .type = "FILE",
       .need = required,
       .one_each_time = true},
      set_option(into.set),
  };
}

// Text to number would take "-1" for 2^64 - 1.
std::string negative(const std::string& given) {
  return given.starts_with('-') ? "expected 0 or more, found " + in_quotes(given) : "";
}

Options training_options(RunArguments& into) {
  TrainingOptions& training = into.training;
  using enum Need;
  return {
      {"--steps", &training.steps, "Steps to train, counting those done before --resume", "NUMBER",
       has_default},
      {"--seed", &training.seed, "Seed of initial weights, order of the data, and masks", "NUMBER",
       has_default, Judged{negative}},
      {"--learning-rate", &training.learning_rate.peak, "Learning rate after the warm-up", "NUMBER",
       has_default},
      {"--warm-up", &training.learning_rate.warm_up, "Steps over which the learning rate rises",
       "NUMBER", has_default},
      {"--decay", &training.learning_rate.decay,
       "Step by which the learning rate has fallen, as half a cosine, to its lowest; 0: it stays",
       "NUMBER", has_default},
      {"--lowest-rate", &training.learning_rate.lowest,
       "Share of the learning rate that --decay leaves", "NUMBER", has_default},
      {"--weight-decay", &training.weight_decay,
       "Weight decay of matrices; other parameters have none", "NUMBER", has_default},
      {"--loss-scale", &training.loss_scaling.initial,
       "Factor on the loss, for fp16; halved, and the step left out, when gradients "
       "overflow; 1: never scaled",
       "NUMBER", has_default},
      {"--loss-scale-interval", &training.loss_scaling.growth_interval,
       "Steps without overflow after which --loss-scale doubles", "NUMBER", has_default},
      {"--clip", &training.maximum_norm, "Largest gradient norm, where the plan clips", "NUMBER",
       has_default},
      {"--tokenizer", &training.tokenizer,
       "tokenizer.json or its folder (GPT-2's kind); without it a byte is a token", "FILE"},
      {"--mask-token", &into.mask_token, "BERT: number of the token that stands for a masked one",
       "NUMBER"},
      {"--end-of-document", &into.end_of_document,
       "Token shards whose documents are samples of unequal length (plan's parallelism.samples): "
       "number of the token that ends one; those of text end at empty lines",
       "NUMBER"},
      {"--kernels", &into.kernels, "Kernels on CPU cores: reference, fast or onednn", "KIND",
       has_default},
      {"--threads", &training.threads,
       "Threads of each rank; only --kernels onednn uses more than one", "NUMBER", has_default},
  };
}

Options device_options(RunArguments& into) {
  using enum Need;
  return {
      {"--device", &into.device, "What computes: cpu, or gpu (an NVIDIA GPU per rank)", "KIND",
       has_default},
      {"--one-process", &into.one_process,
       "Ranks are threads of one process that share one GPU, or its cores: plans wider "
       "than the machine"},
      {"--carry", &into.carry,
       "What carries data between GPUs: plan (its host_net), nccl, or host (out of the "
       "GPU, through the network, into the other)",
       "WAY", has_default},
      {"--capture", &into.capture,
       "What times a GPU for --timeline: cupti, or events where CUPTI cannot", "WAY", has_default},
  };
}

Options file_options(RunArguments& into) {
  TrainingOptions& training = into.training;
  using enum Need;
  return {
      {"--log", &training.log, "Write a line of JSON per step to this file", "FILE"},
      {"--timeline", &training.timeline,
       "Write what every instruction took, in the median of the last 20 steps, as "
       "`quintet simulate --trace` writes what it predicts",
       "FILE"},
      {"--weights", &training.weights,
       "Begin with these weights: safetensors file or folder, Hugging Face's names", "FILE"},
      {"--save-weights", &training.save_weights, "Write the weights there at the end", "FOLDER"},
      {"--checkpoint", &training.checkpoint, "Keep checkpoints there", "FOLDER"},
      {"--checkpoint-every", &training.checkpoint_every,
       "Steps between checkpoints; 0: one at the end", "NUMBER", has_default},
      {"--keep", &training.keep, "How many of the newest checkpoints to keep", "NUMBER",
       has_default},
      {"--resume", &into.resume, "Go on from the newest checkpoint, in any layout"},
  };
}

Options looking_options(RunArguments& into) {
  using enum Need;
  ValidationOptions& validation = into.training.validation;
  return {
      {"--validate", &into.validate,
       "Tokens that are not trained on, whose loss is printed: a file as --data takes it, or "
       "the last share of the data, such as 0.1",
       "FILE|SHARE"},
      {"--validate-every", &validation.every, "Steps between validations; 0: one at the end",
       "NUMBER", has_default},
      {"--validate-sequences", &validation.sequences,
       "Sequences of --validate that are read at most, from its beginning", "NUMBER", has_default},
      {"--memory-check", &into.memory_check,
       "on: refuse a run whose ranks need more memory than is free; off: begin all the same",
       "WORD", has_default},
      {"--costs", &into.costs,
       "Cost table that the step is estimated by, and plans for --adapt; default: a shipped one",
       "FILE"},
      {"--quiet", &into.quiet,
       "Print no progress, and nothing of what is checked before the first step"},
  };
}

Options place_options(RunArguments& into) {
  using enum Need;
  return {
      {"--ranks", &into.ranks,
       "Number of ranks; the plan says it, and another number here is refused", "NUMBER"},
      {"--topology", &into.topology,
       "Machine the plan is for; default: each rank on a host of its own", "FILE"},
      {"--shape", &into.shape,
       "Run inside this topology: namespaces joined by links of its rates and latencies", "FILE"},
      {"--faults", &into.faults,
       "With --shape: links and ranks slow down, fail and come back as this file says (quintet "
       "plan fields faults)",
       "FILE"},
      {"--adapt", &into.training.adapting.on,
       "Between steps, change schedule and delegates to the fastest for the links between stages "
       "as "
       "they are found to be"},
      {"--hosts", &into.hosts, "Start ranks on these hosts: lines NAME slots=N address=ADDRESS",
       "FILE"},
      {"--ssh", &into.ssh, "Command that reaches a host", "COMMAND", has_default},
      {"--address", &into.address,
       "Address, interface or network (10.1.0.0/16) to bind to; default: 127.0.0.1", "ADDRESS"},
      {"--rendezvous", &into.rendezvous,
       "Under mpirun or srun on several hosts: a file in a folder that all see", "FILE"},
      {"--token-file", &into.token_file,
       "Under mpirun or srun: file of mode 600 with the job's token, if not in "
       "$QUINTET_TOKEN",
       "FILE"},
      {"--deadline", &into.training.deadline,
       "Seconds after which a communication, and with it the job, has failed; a host that is not "
       "heard of for 5 s ends it before",
       "SECONDS", has_default},
  };
}

}  // namespace

Options run_options(RunArguments& into) {
  return together({input_options(into), training_options(into), device_options(into),
                   file_options(into), looking_options(into), place_options(into)});
}

}  // namespace quintet::engine
