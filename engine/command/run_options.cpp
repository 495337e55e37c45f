#include "engine/command/run_options.h"

namespace quintet::engine {

namespace {

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
  app.add_option("--kernels", into.kernels, "On CPU cores: reference, fast or onednn")
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

void add_device_options(CLI::App& app, RunArguments& into) {
  app.add_option("--device", into.device, "What computes: cpu, or gpu (an NVIDIA GPU per rank)")
      ->capture_default_str()
      ->type_name("KIND");
  app.add_flag("--one-process", into.one_process,
               "Ranks are threads of one process that share one GPU, or its cores: plans wider "
               "than the machine");
  app.add_option("--carry", into.carry,
                 "What carries data between GPUs: plan (its host_net), nccl, or host (out of the "
                 "GPU, through UCX, into the other)")
      ->capture_default_str()
      ->type_name("WAY");
  app.add_option("--capture", into.capture,
                 "What takes the times of a GPU for --timeline: cupti, or events where it cannot")
      ->capture_default_str()
      ->type_name("WAY");
}

void add_place_options(CLI::App& app, RunArguments& into) {
  app.add_option("--ranks", into.ranks, "Checked against the plan's")->type_name("NUMBER");
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
  add_device_options(app, into);
  add_file_options(app, into);
  add_place_options(app, into);
  app.footer(
      "Examples:\n"
      "  quintet run tiny-gpt-tp2-pp2 --model tiny-gpt --data the-valley --steps 10\n"
      "  quintet run tiny-gpt-dp4 --model tiny-gpt --data the-valley --steps 10 --timeline "
      "measured.json --log log.jsonl\n"
      "On GPUs, and with all ranks of a plan on one GPU:\n"
      "  quintet run --device gpu tiny-gpt-dp4 --model tiny-gpt --data the-valley\n"
      "  quintet run --device gpu --one-process tiny-gpt-dp4 --model tiny-gpt --data the-valley\n"
      "Under mpirun or srun the same command takes its rank from the environment:\n"
      "  mpirun -n 4 quintet run tiny-gpt-zero3 --model tiny-gpt --data the-valley\n"
      "Exit: 0 done, 1 a rank failed or the run was interrupted, 2 wrong usage or input.");
}

}  // namespace quintet::engine
