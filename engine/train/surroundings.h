// Where a run's ranks are and what carries data between them, as it was found; and what follows for
// its times.
#pragma once

#include <string>
#include <vector>

#include "engine/plan_limits/plan_deviations.h"
#include "engine/train/training_options.h"
#include "kernels/device.h"
#include "sim/plan/host_net.h"

namespace quintet::engine {

struct Surroundings {
  Processor processor = Processor::cpu;
  std::string device;                  // "NVIDIA H200"; empty: CPU cores
  std::vector<std::string> libraries;  // that compute and carry: names, versions, places
  RankKind ranks = RankKind::processes;
  int ranks_per_device = 1;  // the most that share one, be it the cores of a process
  BackendKinds backends;
  // One of the ranks that share a processor measures what it reaches, for `measured_for` ranks; the
  // others wait meanwhile.
  bool measures = true;
  int measured_for = 1;
};

// What it is called, and whose products and attention it runs.
void describe(const kernels::Device& device, Surroundings& into);

// As the options ask for.
BackendKinds backends_of(const TrainingOptions& options, const HostNet& host_net);

// The words of the log.
std::string_view name_of(Processor processor);
std::string_view name_of(RankKind ranks);
std::string_view name_of(BackendKind kind);

// Which of a run's times say something about a machine with a processor for each rank.
struct MeaningOfTimes {
  bool kernels = true, communication = true, steps = true;
  std::string why_not;  // empty: all do
};
MeaningOfTimes meaning_of_times(const Surroundings& surroundings);

// For people.
std::vector<std::string> place_lines(const Surroundings& surroundings, int ranks);

}  // namespace quintet::engine
