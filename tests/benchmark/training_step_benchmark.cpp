// A whole training step of one rank: forward, backward, gradient norm and clipping, AdamW.
//   training_step_benchmark CONFIG.json [SETTING=VALUE ...]
//     kernels=onednn|fast|reference   type=fp32|bf16   sequences=4   length=64   steps=12
//     operators=yes    also the median time of each operator
// Weights and tokens are random. The last line is "PROGRAM MILLISECONDS ms/step": the median step.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "engine/communication/local_world.h"
#include "engine/executor/rank_executor.h"
#include "engine/files/storage/counter_random.h"
#include "sim/model/model_file.h"

namespace quintet::engine {
namespace {

using Settings = std::map<std::string, std::string>;

std::optional<Settings> settings_of(int count, char** arguments) {
  Settings settings{{"kernels", "onednn"}, {"type", "fp32"}, {"sequences", "4"},
                    {"length", "64"},      {"steps", "12"},  {"operators", "no"}};
  for (int number = 2; number < count; ++number) {
    const std::string argument = arguments[number];
    const std::size_t equals = argument.find('=');
    const auto known = settings.find(argument.substr(0, equals));
    if (equals == std::string::npos || known == settings.end()) {
      std::fprintf(stderr, "%s is no setting\n", argument.c_str());
      return std::nullopt;
    }
    known->second = argument.substr(equals + 1);
  }
  return settings;
}

std::unique_ptr<kernels::Kernels> kernels_of(const std::string& name) {
  if (name == "onednn") return kernels::onednn_kernels();
  return name == "fast" ? kernels::fast_kernels() : kernels::reference_kernels();
}

RankExecutorInput input_of(Model model, const Settings& settings) {
  // The others have none either.
  model.dropout = model.attention_dropout = 0;
  RankExecutorInput input;
  Parallelism& parallelism = input.plan.parallelism;
  parallelism.sequence_length = std::stoi(settings.at("length"));
  parallelism.micro_batch = std::stoi(settings.at("sequences"));
  parallelism.compute_type = settings.at("type") == "bf16" ? DataType::bf16 : DataType::fp32;
  input.program = compile(model, input.plan, input.options);
  input.optimizer = {.learning_rate = 1e-4F, .weight_decay = 0.1F};
  input.initial = {.seed = 1};
  input.model = std::move(model);
  return input;
}

StepInput tokens_of(const RankExecutorInput& input, int step) {
  const Parallelism& parallelism = input.plan.parallelism;
  const RandomStream random{1, static_cast<std::uint64_t>(step)};
  Batch batch;
  batch.length = parallelism.sequence_length;
  batch.sequences = parallelism.micro_batch;
  const int tokens = batch.sequences * batch.length;
  const auto words = static_cast<std::uint64_t>(input.model.vocabulary);
  for (int token = 0; token <= tokens; ++token) {
    const auto number = static_cast<std::uint64_t>(token);
    const auto word = static_cast<std::int32_t>(random_below(random, number, words));
    if (token < tokens) batch.tokens.push_back(word);
    if (token > 0) batch.targets.push_back(word);
    if (token < tokens) batch.positions.push_back(token % batch.length);
    if (token % batch.length == 0) batch.starts.push_back(token);
  }
  if (input.model.token_types > 0) batch.types.assign(batch.tokens.size(), 0);
  StepInput made;
  made.micro_batches.push_back(std::move(batch));
  made.targets = tokens;
  return made;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0.0 : values[values.size() / 2];
}

struct Measured {
  std::vector<double> milliseconds;                           // per step
  std::map<std::string, std::vector<double>> operator_times;  // all of its uses in a step
};

void count_operators(const Program& program, const StepReport& report, Measured& measured) {
  std::vector<std::string> names;
  for (const Body& body : program.bodies)
    for (const Instruction& instruction : body.instructions) names.push_back(instruction.name);
  std::map<std::string, double> sums;
  for (const Span& span : report.spans)
    sums[names[static_cast<std::size_t>(span.info)]] += 1e3 * seconds(span.end - span.start).value;
  for (const auto& [name, sum] : sums) measured.operator_times[name].push_back(sum);
}

// The first two steps touch memory for the first time.
std::optional<Measured> measure(RankExecutor& executor, const RankExecutorInput& input, int steps) {
  Measured measured;
  for (int step = -2; step < steps; ++step) {
    const StepInput tokens = tokens_of(input, step + 2);
    const Clock::time_point start = Clock::now();
    const Result<StepReport> report = executor.step(tokens, start);
    const std::chrono::duration<double, std::milli> passed = Clock::now() - start;
    if (!report) {
      std::fprintf(stderr, "%s\n", report.error().text().c_str());
      return std::nullopt;
    }
    if (step < 0) continue;
    measured.milliseconds.push_back(passed.count());
    count_operators(input.program, *report, measured);
  }
  return measured;
}

void print_operators(const Measured& measured, double step) {
  std::vector<std::pair<double, std::string>> rows;
  for (const auto& [name, times] : measured.operator_times) rows.emplace_back(median(times), name);
  std::sort(rows.rbegin(), rows.rend());
  double sum = 0;
  for (const auto& [time, name] : rows) {
    std::printf("  %-44s %9.3f ms %5.1f %%\n", name.c_str(), time, 100 * time / step);
    sum += time;
  }
  std::printf("  %-44s %9.3f ms %5.1f %%\n", "between operators", step - sum,
              100 * (step - sum) / step);
}

int run(int count, char** arguments) {
  const std::optional<Settings> settings = settings_of(count, arguments);
  if (count < 2 || !settings) return 2;
  Result<Model> model = read_model(arguments[1]);
  const std::unique_ptr<kernels::Kernels> kernels = kernels_of(settings->at("kernels"));
  if (!model || !kernels) {
    std::fprintf(stderr, "%s\n", model ? "no such kernels" : model.error().text().c_str());
    return 2;
  }
  const RankExecutorInput input = input_of(std::move(*model), *settings);
  LocalWorld world(input.program);
  const auto executor = RankExecutor::make(input, *kernels, world.rank(Rank{0}));
  if (!executor) {
    std::fprintf(stderr, "%s\n", executor.error().text().c_str());
    return 2;
  }
  const auto measured = measure(**executor, input, std::stoi(settings->at("steps")));
  if (!measured) return 1;
  const double step = median(measured->milliseconds);
  if (settings->at("operators") == "yes") print_operators(*measured, step);
  std::printf("quintet-%s-%s %.1f ms/step\n", settings->at("kernels").c_str(),
              settings->at("type").c_str(), step);
  return 0;
}

}  // namespace
}  // namespace quintet::engine

int main(int count, char** arguments) {
  return quintet::engine::run(count, arguments);
}
