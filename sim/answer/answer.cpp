#include "sim/answer/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "sim/answer/unheld.h"
#include "sim/base/quantity_text.h"
#include "sim/base/text_table.h"

namespace quintet {

namespace {

std::string device_name(const Topology& topology) {
  std::string names;
  for (const GpuSpec& gpu : topology.gpu_specs)
    if (names.find(gpu.name) == std::string::npos) names += (names.empty() ? "" : " + ") + gpu.name;
  return names.empty() ? "CPU" : names;
}

// Published steps ran on GPUs whose kernels somebody measured; a table for any machine, of whole
// stages or of an ideal one, has nothing in common with them.
std::optional<ExpectedError> published_error(const AnswerContext& context) {
  const Topology& topology = context.topology;
  if (topology.gpu_specs.empty() || context.costs.gpu != topology.gpu_specs.front().name)
    return std::nullopt;
  return expected_error(context.published, context.stack, device_name(topology));
}

// No machine does more than its peak, so one of the two numbers is wrong.
void leave_out_impossible(Answer& answer) {
  StepSummary& summary = answer.summary;
  const double most = std::max(summary.mfu, summary.hfu);
  if (most <= 1) return;
  answer.remarks.push_back(fmt::format(
      "MFU is left out: {} of {} FLOP/s that the machine's file gives would be needed; its peak "
      "rate is too low, or the cost table's rates are too high",
      percent(most), answer.device));
  summary.mfu = summary.hfu = 0;
}

// At full load, of what the plan uses of the machine.
Watts rated_power(const StepNumbers& numbers) {
  return numbers.gpus * numbers.gpu_power + numbers.hosts * numbers.host_power +
         numbers.network_power;
}

StepUse use_of(const Answer& answer, const StepNumbers& numbers) {
  return {mean_step(answer), answer.ranks, answer.hosts, answer.summary.power,
          rated_power(numbers)};
}

RunParts run_parts(const Plan& plan, const Prediction& prediction, const Answer& answer) {
  const StepNumbers& numbers = prediction.numbers;
  RunParts parts{answer.tokens_per_step, samples_of_step(plan), prediction.summary};
  if (prediction.between) {
    parts.every = plan.parallelism.replicator.every;
    parts.between = *prediction.between;
  }
  parts.interval = answer.interval;
  parts.how = plan.run;
  parts.evaluation = prediction.evaluation;
  parts.state = prediction.checkpoint;
  if (numbers.gpu_idle_power > Watts{})
    parts.waiting = numbers.gpus * numbers.gpu_idle_power + numbers.hosts * numbers.host_power +
                    numbers.network_power;
  return parts;
}

// Between two steps there is time for one.
void remark_on_evaluations(const Plan& plan, Answer& answer) {
  const int every = plan.run.evaluation.every;
  const double batch = samples_of_step(plan);
  if (every > 0 && every < batch)
    answer.remarks.push_back(fmt::format(
        "run.evaluation.every ({}) is below the {:.0f} samples that a step trains: there is one "
        "evaluation after each step, not more",
        every, batch));
}

int weight(MemoryFit fit) {
  switch (fit) {
    case MemoryFit::fits:
      return 0;
    case MemoryFit::not_known:
      return 1;
    case MemoryFit::too_close:
      return 2;
    case MemoryFit::does_not_fit:
      return 3;
  }
  return 0;
}

std::string recompute_text(const Parallelism& parallelism) {
  if (parallelism.recompute == Recompute::none) return "";
  const std::string word(name_of(parallelism.recompute));
  return word + " recomputation" +
         (parallelism.recompute_layers > 0
              ? fmt::format(" of {} layers a stage", parallelism.recompute_layers)
              : "");
}

// What is in fewer bits or elsewhere than usual.
void add_state_words(const Parallelism& parallelism, std::vector<std::string>& words) {
  const Offload& offload = parallelism.offload;
  if (parallelism.moment_type != DataType::fp32)
    words.push_back(std::string(name_of(parallelism.moment_type)) + " moments");
  if (offload.optimizer > 0)
    words.push_back(
        fmt::format("{:.3g} % of optimizer state on the host", 100 * offload.optimizer));
  if (offload.activations) words.emplace_back("layers' inputs on the host");
}

}  // namespace

std::string layout_text(const Parallelism& parallelism) {
  const std::pair<const char*, int> degrees[] = {{"TP", parallelism.tensor},
                                                 {"CP", parallelism.context},
                                                 {"EP", parallelism.expert},
                                                 {"PP", parallelism.pipeline},
                                                 {"DP", parallelism.data}};
  std::string text;
  for (const auto& [name, degree] : degrees)
    if (degree > 1) text += fmt::format("{}{} {}", text.empty() ? "" : " x ", name, degree);
  return text.empty() ? "1 rank" : text;
}

std::string method_text(const Parallelism& parallelism) {
  std::vector<std::string> words;
  if (parallelism.pipeline > 1)
    words.emplace_back(std::string(name_of(parallelism.schedule)) +
                       (parallelism.virtual_stages > 1
                            ? fmt::format(" of {} pieces a stage", parallelism.virtual_stages)
                            : ""));
  if (parallelism.sharding != Sharding::none)
    words.push_back(std::string(name_of(parallelism.sharding)) + " sharded" +
                    (parallelism.sharding_group > 0
                         ? fmt::format(" over {}", parallelism.sharding_group)
                         : ""));
  if (parallelism.sequence_parallel) words.emplace_back("sequence parallel");
  if (std::string text = recompute_text(parallelism); !text.empty()) words.push_back(text);
  words.push_back(std::string(name_of(parallelism.attention)) + " attention");
  const Replicator& replicator = parallelism.replicator;
  if (!is_plain(replicator))
    words.push_back(std::string(name_of(replicator.kind)) + " replicator" +
                    (replicator.every > 1 ? fmt::format(" every {} steps", replicator.every) : ""));
  const Float8Scaling scaling = parallelism.float8.scaling;
  words.push_back(
      std::string(name_of(parallelism.compute_type)) +
      (scaling == Float8Scaling{} ? "" : fmt::format(" by {} scaling", name_of(scaling))));
  add_state_words(parallelism, words);
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

Answer answer_of(const Plan& plan, const std::string& file, const Prediction& prediction,
                 const AnswerContext& context) {
  Answer answer;
  answer.name = plan.name;
  answer.file = file;
  answer.parallelism = plan.parallelism;
  answer.ranks = prediction.numbers.gpus;
  answer.hosts = prediction.numbers.hosts > 0 ? prediction.numbers.hosts
                                              : static_cast<int>(context.topology.hosts.size());
  answer.device = device_name(context.topology);
  answer.faults = context.topology.faults;
  answer.tokens_per_step = prediction.numbers.tokens;
  answer.summary = prediction.summary;
  if (prediction.between) {
    const int every = plan.parallelism.replicator.every;
    answer.periodic = periodic_step(every, prediction.summary.step, prediction.between->step);
    answer.summary = mean_summary(every, prediction.summary, *prediction.between);
  }
  answer.load_balance = prediction.load_balance;
  answer.interval = step_interval(prediction.summary.step, prediction.interval, context.costs,
                                  published_error(context));
  const MemoryBand& band = context.published.memory;
  answer.fit = memory_fit(prediction.memory, band);
  answer.fit_text = memory_fit_text(prediction.memory, band);
  answer.memory_needed = total(fullest(prediction.memory).value_or(RankMemory{}));
  answer.memory_capacity = prediction.memory.capacity;
  answer.basis =
      provenance(prediction.program, prediction.mean, context.costs, prediction.move_bases);
  leave_out_impossible(answer);
  for (std::string& remark : remarks_on_held_sends(plan, context.topology))
    answer.remarks.push_back(std::move(remark));
  if (context.run && answer.tokens_per_step > 0)
    answer.run = training_run(*context.run, run_parts(plan, prediction, answer));
  if (answer.run) remark_on_evaluations(plan, answer);
  if (context.bill) answer.money = money_of(*context.bill, use_of(answer, prediction.numbers));
  return answer;
}

Seconds mean_step(const Answer& answer) {
  return answer.periodic ? answer.periodic->mean : answer.summary.step;
}

// Steps without the exchange are off by the same share.
std::optional<StepInterval> mean_interval(const Answer& answer) {
  if (!answer.interval || !answer.periodic || !(answer.summary.step > Seconds{}))
    return answer.interval;
  const double share = answer.periodic->mean / answer.summary.step;
  return StepInterval{share * answer.interval->low, share * answer.interval->high,
                      answer.interval->rests_on};
}

std::vector<std::size_t> order_of(std::span<const Answer> answers, bool by_step) {
  std::vector<std::size_t> order(answers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t at) {
    return std::tuple(weight(answers[at].fit), by_step ? mean_step(answers[at]).value : 0.0);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t left, std::size_t right) { return key(left) < key(right); });
  return order;
}

std::vector<std::optional<int>> places(std::span<const Answer> answers) {
  std::vector<std::optional<int>> all(answers.size());
  int place = 0;
  for (const std::size_t at : order_of(answers, true))
    if (answers[at].fit != MemoryFit::does_not_fit) all[at] = ++place;
  return all;
}

}  // namespace quintet
