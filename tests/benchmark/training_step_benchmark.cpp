// A whole training step of one rank: forward, backward, gradient norm and clipping, AdamW.
//   training_step_benchmark CONFIG.json [SETTING=VALUE ...]
//     kernels=onednn|fast|reference   type=fp32|bf16   sequences=4   length=64   steps=12
//     ranks=1      2: data parallel threads of this process, each with as many sequences, on cores
//     of
//                  their own where there are two
//     clock=wall|thread   the median of time that passed, or that this thread ran: on a busy
//     machine operators=yes    also each operator's median time, its share of the step, and how
//     many times the
//                      least that this core could take (machine_limits.h; for fp32); all of them
//                      times of this thread alone
// QUINTET_CPU_ISA=avx2|avx512|... restricts the instructions (kernels/cpu/targets.h). Weights and
// tokens are random. The last line is "PROGRAM MILLISECONDS ms/step": the median step.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "engine/communication/local_world.h"
#include "engine/executor/rank_executor.h"
#include "engine/files/storage/counter_random.h"
#include "kernels/cpu/targets.h"
#include "sim/model/model_file.h"
#include "tests/benchmark/machine_limits.h"

namespace quintet::engine {
namespace {

using Settings = std::map<std::string, std::string>;

std::optional<Settings> settings_of(int count, char** arguments) {
  Settings settings{{"kernels", "onednn"}, {"type", "fp32"}, {"sequences", "4"},
                    {"length", "64"},      {"steps", "12"},  {"operators", "no"},
                    {"clock", "wall"},     {"ranks", "1"}};
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
  parallelism.data = std::stoi(settings.at("ranks"));
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

// The processor time of this thread: what others on the core take is not in it.
double thread_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

struct Measured {
  std::vector<double> milliseconds;                           // per step
  std::vector<double> own_milliseconds;                       // of this thread
  std::map<std::string, std::vector<double>> operator_times;  // all of its uses in a step
  StepReport last;
};

void count_operators(const Program& program, const StepReport& report, Measured& measured) {
  std::vector<std::string> names;
  for (const Body& body : program.bodies)
    for (const Instruction& instruction : body.instructions) names.push_back(instruction.name);
  std::map<std::string, double> sums;
  for (std::size_t number = 0; number < report.spans.size(); ++number)
    sums[names[static_cast<std::size_t>(report.spans[number].info)]] +=
        1e3 * seconds(report.cpu[number]).value;
  for (const auto& [name, sum] : sums) measured.operator_times[name].push_back(sum);
}

// The first two steps touch memory for the first time.
Result<Measured> measure(RankExecutor& executor, const RankExecutorInput& input, int steps) {
  Measured measured;
  for (int step = -2; step < steps; ++step) {
    const StepInput tokens = tokens_of(input, step + 2);
    const double own_start = thread_milliseconds();
    const Clock::time_point start = Clock::now();
    const Result<StepReport> report = executor.step(tokens, start);
    const std::chrono::duration<double, std::milli> passed = Clock::now() - start;
    if (!report) return report.error();
    if (step < 0) continue;
    measured.milliseconds.push_back(passed.count());
    measured.own_milliseconds.push_back(thread_milliseconds() - own_start);
    count_operators(input.program, *report, measured);
    measured.last = *report;
  }
  return measured;
}

// The least milliseconds of all uses of each operator in a step.
std::map<std::string, double> least_times(const Program& program, const StepReport& report) {
  std::vector<const Instruction*> instructions;
  for (const Body& body : program.bodies)
    for (const Instruction& instruction : body.instructions) instructions.push_back(&instruction);
  const auto own = kernels::fast_kernels(), onednn = kernels::onednn_kernels();
  std::vector<kernels::Kernels*> all{own.get()};
  if (onednn) all.push_back(onednn.get());
  MachineLimits limits(all);
  std::map<std::string, double> sums;
  for (const Span& span : report.spans) {
    const Instruction& instruction = *instructions[static_cast<std::size_t>(span.info)];
    if (const auto* const compute = std::get_if<Compute>(&instruction.action))
      sums[instruction.name] += 1e3 * limits.least_time(compute->work);
  }
  return sums;
}

void print_row(const std::string& name, double time, double step, double least) {
  std::printf("  %-32s %9.3f ms %5.1f %%", name.c_str(), time, 100 * time / step);
  if (least > 0) std::printf(" %9.3f ms %5.2f", least, time / least);
  std::printf("\n");
}

// Another operator does its work: clipping and casts go with the update. It has no limit.
bool done_by_another(double time, double least) {
  constexpr double nothing = 0.02;
  return time < nothing * least;
}

void print_operators(const Measured& measured, double step,
                     const std::map<std::string, double>& least) {
  std::vector<std::pair<double, std::string>> rows;
  for (const auto& [name, times] : measured.operator_times) rows.emplace_back(median(times), name);
  std::sort(rows.rbegin(), rows.rend());
  double sum = 0, least_sum = 0;
  std::printf("  %-32s %12s %7s %12s %5s\n", "operator", "median", "share", "least", "times");
  for (const auto& [time, name] : rows) {
    const double limit = done_by_another(time, least.at(name)) ? 0 : least.at(name);
    print_row(name, time, step, limit);
    sum += time;
    least_sum += limit;
  }
  print_row("between operators", step - sum, step, 0);
  print_row("step", step, step, least_sum);
}

Result<Measured> measured_rank(RankExecutorInput input, const Settings& settings, Rank rank,
                               LocalWorld& world) {
  input.rank = rank;
  const std::unique_ptr<kernels::Kernels> kernels = kernels_of(settings.at("kernels"));
  if (!kernels) return Error{"kernels=" + settings.at("kernels"), "not in this build"};
  const auto executor = RankExecutor::make(input, *kernels, world.rank(rank));
  if (!executor) return executor.error();
  return measure(**executor, input, std::stoi(settings.at("steps")));
}

// The first rank is measured; the others run beside it.
Result<Measured> measured_ranks(const RankExecutorInput& input, const Settings& settings) {
  LocalWorld world(input.program);
  std::vector<std::thread> others;
  for (int rank = 1; rank < world_size(input.plan.parallelism); ++rank)
    others.emplace_back([&, rank] {
      if (const auto other = measured_rank(input, settings, Rank{rank}, world); !other)
        world.rank(Rank{rank}).abort(other.error());
    });
  const Result<Measured> first = measured_rank(input, settings, Rank{0}, world);
  if (!first) world.rank(Rank{0}).abort(first.error());
  for (std::thread& other : others) other.join();
  return first;
}

int run(int count, char** arguments) {
  const std::optional<Settings> settings = settings_of(count, arguments);
  if (count < 2 || !settings) return 2;
  Result<Model> model = read_model(arguments[1]);
  if (!model) {
    std::fprintf(stderr, "%s\n", model.error().text().c_str());
    return 2;
  }
  const RankExecutorInput input = input_of(std::move(*model), *settings);
  const Result<Measured> measured = measured_ranks(input, *settings);
  if (!measured) {
    std::fprintf(stderr, "%s\n", measured.error().text().c_str());
    return 2;
  }
  const double step = median(settings->at("clock") == "thread" ? measured->own_milliseconds
                                                               : measured->milliseconds);
  if (settings->at("operators") == "yes")
    print_operators(*measured, median(measured->own_milliseconds),
                    least_times(input.program, measured->last));
  const std::string ranks = settings->at("ranks") == "1" ? "" : "-x" + settings->at("ranks");
  std::printf("quintet-%s-%s%s %.1f ms/step\n", settings->at("kernels").c_str(),
              settings->at("type").c_str(), ranks.c_str(), step);
  return 0;
}

}  // namespace
}  // namespace quintet::engine

int main(int count, char** arguments) {
  return quintet::engine::run(count, arguments);
}
