// Times of operators and of what surrounds communication, gathered from steps that really ran.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/program/program.h"
#include "sim/timeline/timeline.h"

namespace quintet::calibrate {

enum class Disturbed : std::uint8_t { no, yes };

class OperatorSamples {
 public:
  // A rank's step: for each span (`info` counts the instructions of the program's bodies) what its
  // thread computed. `disturbed`, where given, tells in which of them bytes moved on the machine:
  // the network's work interrupts whoever is on a core.
  void add(const Program& program, std::span<const Span> spans, std::span<const Duration> cpu,
           std::span<const Disturbed> disturbed = {});

  // Each operator that was seen has its time here, in the order in which they were first seen: the
  // mean of what was not disturbed where that is three samples or more, else the median of all.
  std::vector<MeasuredOperator> times() const;
  // These are the costs of communications of more than 64 KiB, by name; those that took nothing are
  // left out.
  std::vector<StagingCosts> staging() const;
  // How far samples scatter: the 90th percentile over the median, of all operators together,
  // weighted by their time.
  double scatter() const;

 private:
  struct Samples {
    PricedOperator work;
    std::vector<Duration> times;
    std::vector<Duration> undisturbed;  // of them
  };
  struct Staged {
    std::string name;
    Bytes size;
    Seconds time;
  };
  Samples& samples_of(const PricedOperator& work);

  void add_staging(const Instruction& instruction, Duration cpu);

  std::vector<Samples> all_;
  std::vector<Staged> staged_;  // sums
};

}  // namespace quintet::calibrate
