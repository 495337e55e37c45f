#include "calibrate/operator_samples.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace quintet::calibrate {
namespace {

// The lower of two in the middle: interruptions only ever make a sample longer.
Duration quantile(std::vector<Duration> times, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(times.size() - 1));
  std::nth_element(times.begin(), times.begin() + place, times.end());
  return times[static_cast<std::size_t>(place)];
}

std::vector<const Operator*> operators_of(const Program& program) {
  std::vector<const Operator*> operators;
  for (const Body& body : program.bodies)
    for (const Instruction& instruction : body.instructions) {
      const auto* const compute = std::get_if<Compute>(&instruction.action);
      operators.push_back(compute ? &compute->work : nullptr);
    }
  return operators;
}

}  // namespace

OperatorSamples::Samples& OperatorSamples::samples_of(const Operator& work) {
  const auto found = std::find_if(all_.begin(), all_.end(),
                                  [&](const Samples& each) { return each.work == work; });
  return found == all_.end() ? all_.emplace_back(Samples{work, {}}) : *found;
}

void OperatorSamples::add(const Program& program, std::span<const Span> spans,
                          std::span<const Duration> cpu) {
  assert(spans.size() == cpu.size());
  const std::vector<const Operator*> operators = operators_of(program);
  for (std::size_t index = 0; index < spans.size(); ++index)
    if (const Operator* const work = operators[static_cast<std::size_t>(spans[index].info)])
      samples_of(*work).times.push_back(cpu[index]);
}

std::vector<MeasuredOperator> OperatorSamples::medians() const {
  std::vector<MeasuredOperator> operators;
  for (const Samples& each : all_)
    operators.push_back(
        {each.work, seconds(quantile(each.times, 0.5)), static_cast<int>(each.times.size())});
  return operators;
}

double OperatorSamples::scatter() const {
  Seconds middle, high;
  for (const Samples& each : all_) {
    const auto count = static_cast<double>(each.times.size());
    middle += seconds(quantile(each.times, 0.5)) * count;
    high += seconds(quantile(each.times, 0.9)) * count;
  }
  return middle > Seconds{} ? high / middle : 1;
}

}  // namespace quintet::calibrate
