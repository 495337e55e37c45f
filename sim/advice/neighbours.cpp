#include "sim/advice/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/parallel.h"
#include "sim/plan/asked_plan.h"
#include "sim/plan/plan_file.h"

namespace quintet {
namespace {

using Values = std::vector<std::string>;

template <class Enum>
Values others(Enum value) {
  Values words;
  for (int number = 0; !name_of(static_cast<Enum>(number)).empty(); ++number)
    if (static_cast<Enum>(number) != value) words.emplace_back(name_of(static_cast<Enum>(number)));
  return words;
}

Values halved_and_doubled(int value) {
  Values numbers{fmt::to_string(2 * value)};
  if (value % 2 == 0) numbers.push_back(fmt::to_string(value / 2));
  return numbers;
}

// Every single decision, those about one field together.
std::vector<FieldChanges> decisions(const Parallelism& parallelism) {
  const std::pair<const char*, Values> fields[] = {
      {"recompute", others(parallelism.recompute)},
      {"sharding", parallelism.data > 1 ? others(parallelism.sharding) : Values{}},
      {"micro_batch", halved_and_doubled(parallelism.micro_batch)},
      {"tensor", halved_and_doubled(parallelism.tensor)},
      {"pipeline", halved_and_doubled(parallelism.pipeline)}};
  std::vector<FieldChanges> all;
  for (const auto& [field, values] : fields) {
    FieldChanges& of_field = all.emplace_back();
    for (const std::string& value : values)
      of_field.push_back(
          {fmt::format("parallelism.{}", field), value, fmt::format("{} {}", field, value)});
  }
  return all;
}

class Changed {
 public:
  explicit Changed(const Plan& plan) : plan_(plan), text_(plan_text(plan)) {}

  void add(const FieldChanges& changes) {
    Result<Plan> made = asked_plan({text_, "", true}, changes, world_size(plan_.parallelism));
    if (!made) return;
    made->parallelism.samples = plan_.parallelism.samples;
    std::string how;
    for (const FieldChange& each : changes) how += (how.empty() ? "" : ", ") + each.asked;
    found_.push_back({how, static_cast<int>(changes.size()), std::move(*made)});
  }
  std::vector<Neighbour> found() && { return std::move(found_); }

 private:
  const Plan& plan_;
  std::string text_;
  std::vector<Neighbour> found_;
};

std::vector<Result<Bytes>> memories(const std::vector<Neighbour>& all, const Machine& machine,
                                    const Evaluator& evaluator, const Effort& effort) {
  std::vector<Result<Bytes>> found(all.size(), Error{});
  for_each_index(
      all.size(), effort.threads,
      [&](std::size_t i) { found[i] = evaluator.memory(all[i].plan, machine); }, effort.progress);
  return found;
}

Machine with_memory(Machine machine, double factor) {
  for (GpuSpec& gpu : machine.topology.gpu_specs) gpu.memory = factor * gpu.memory;
  return machine;
}

Bytes least_memory(const Topology& topology) {
  Bytes least = topology.gpu_specs.front().memory;
  for (const GpuSpec& gpu : topology.gpu_specs) least = std::min(least, gpu.memory);
  return least;
}

struct Fastest {
  Outcome outcome;
  std::string how;
  void offer(const Outcome& other, const std::string& by) {
    if (!other.step || (outcome.step && *outcome.step <= *other.step)) return;
    outcome = other;
    how = by;
  }
};

}  // namespace

std::vector<Neighbour> neighbours(const Plan& plan) {
  Changed changed(plan);
  const std::vector<FieldChanges> all = decisions(plan.parallelism);
  for (std::size_t one = 0; one < all.size(); ++one)
    for (const FieldChange& first : all[one]) {
      changed.add({first});
      for (std::size_t other = one + 1; other < all.size(); ++other)
        for (const FieldChange& second : all[other]) changed.add({first, second});
    }
  return std::move(changed).found();
}

MachineWorth memory_worth(const Plan& plan, const Machine& machine, const Evaluator& evaluator,
                          const Effort& effort) {
  MachineWorth worth{"GPU memory", std::nullopt, {}, {}, std::nullopt, std::nullopt, ""};
  if (machine.topology.gpu_specs.empty()) {
    worth.twice.why_not = "the machine has no GPUs";
    return worth;
  }
  const Bytes now = least_memory(machine.topology);
  const std::vector<Neighbour> all = neighbours(plan);
  const std::vector<Result<Bytes>> needed = memories(all, machine, evaluator, effort);
  std::vector<Plan> plans{plan};
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (needed[i] && *needed[i] > now && *needed[i] <= twice_as_good * now) {
      which.push_back(i);
      plans.push_back(all[i].plan);
    }
  const std::vector<Outcome> found =
      outcomes(plans, with_memory(machine, twice_as_good), evaluator, effort);
  Fastest tenth{found[0], ""}, twice{found[0], ""};
  for (std::size_t i = 0; i < which.size(); ++i) {
    twice.offer(found[i + 1], all[which[i]].how);
    if (*needed[which[i]] <= a_tenth_better * now) tenth.offer(found[i + 1], all[which[i]].how);
  }
  worth.tenth = tenth.outcome;
  worth.twice = twice.outcome;
  worth.note = twice.how.empty() ? "no plan one or two decisions away needs it and is faster"
                                 : "by " + twice.how;
  return worth;
}

std::optional<FasterNeighbour> faster_neighbour(const Plan& plan, Seconds step,
                                                const Machine& machine, const Evaluator& evaluator,
                                                const Effort& effort) {
  std::vector<Neighbour> near = neighbours(plan);
  std::erase_if(near, [](const Neighbour& each) { return each.decisions > 1; });
  std::vector<Plan> plans;
  for (const Neighbour& each : near) plans.push_back(each.plan);
  const std::vector<Outcome> found = outcomes(plans, machine, evaluator, effort);
  Fastest fastest{{step, ""}, ""};
  for (std::size_t i = 0; i < found.size(); ++i) fastest.offer(found[i], near[i].how);
  if (fastest.how.empty()) return std::nullopt;
  return FasterNeighbour{fastest.how, *fastest.outcome.step};
}

}  // namespace quintet
