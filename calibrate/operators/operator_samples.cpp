#include "calibrate/operators/operator_samples.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "sim/base/quantile.h"

namespace quintet::calibrate {
namespace {

Seconds mean(const std::vector<Duration>& times) {
  Duration sum;
  for (const Duration time : times) sum += time;
  return seconds(sum) / static_cast<double>(times.size());
}

std::vector<const Instruction*> instructions_of(const Program& program) {
  std::vector<const Instruction*> all;
  for (const Body& body : program.bodies)
    for (const Instruction& instruction : body.instructions) all.push_back(&instruction);
  return all;
}

// Smaller ones take the time of the call, which is in no proportion to their bytes.
constexpr Bytes least_staged{65536};
// Fewer samples than these could all be exceptions.
constexpr std::size_t least_undisturbed = 3;

}  // namespace

OperatorSamples::Samples& OperatorSamples::samples_of(const Operator& work) {
  const auto found = std::find_if(all_.begin(), all_.end(),
                                  [&](const Samples& each) { return each.work == work; });
  return found == all_.end() ? all_.emplace_back(Samples{work, {}, {}}) : *found;
}

void OperatorSamples::add(const Program& program, std::span<const Span> spans,
                          std::span<const Duration> cpu, std::span<const Disturbed> disturbed) {
  assert(spans.size() == cpu.size());
  assert(disturbed.empty() || disturbed.size() == spans.size());
  const std::vector<const Instruction*> instructions = instructions_of(program);
  for (std::size_t index = 0; index < spans.size(); ++index) {
    const Instruction& instruction = *instructions[static_cast<std::size_t>(spans[index].info)];
    const auto* const compute = std::get_if<Compute>(&instruction.action);
    if (compute == nullptr) {
      add_staging(instruction, cpu[index]);
      continue;
    }
    Samples& samples = samples_of(compute->work);
    samples.times.push_back(cpu[index]);
    if (disturbed.empty() || disturbed[index] == Disturbed::no)
      samples.undisturbed.push_back(cpu[index]);
  }
}

void OperatorSamples::add_staging(const Instruction& instruction, Duration cpu) {
  const Bytes size = communicated(instruction);
  if (size <= least_staged) return;
  auto found = std::find_if(staged_.begin(), staged_.end(),
                            [&](const Staged& each) { return each.name == instruction.name; });
  if (found == staged_.end()) found = staged_.insert(found, {instruction.name, Bytes{}, Seconds{}});
  found->size += size;
  found->time += seconds(cpu);
}

std::vector<MeasuredOperator> OperatorSamples::times() const {
  std::vector<MeasuredOperator> operators;
  for (const Samples& each : all_) {
    const bool enough = each.undisturbed.size() >= least_undisturbed;
    operators.push_back({each.work,
                         enough ? mean(each.undisturbed) : seconds(lower_median(each.times)),
                         static_cast<int>(enough ? each.undisturbed.size() : each.times.size())});
  }
  return operators;
}

std::vector<StagingCosts> OperatorSamples::staging() const {
  std::vector<StagingCosts> staging;
  for (const Staged& each : staged_)
    if (each.time > Seconds{}) staging.push_back({each.name, each.size / each.time});
  return staging;
}

double OperatorSamples::scatter() const {
  Seconds middle, high;
  for (const Samples& each : all_) {
    const auto count = static_cast<double>(each.times.size());
    middle += seconds(lower_median(each.times)) * count;
    high += seconds(lower_quantile(each.times, 0.9)) * count;
  }
  return middle > Seconds{} ? high / middle : 1;
}

}  // namespace quintet::calibrate
