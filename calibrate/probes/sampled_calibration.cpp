#include "calibrate/probes/sampled_calibration.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "sim/base/text_table.h"

namespace quintet::calibrate {
namespace {

// A probe takes this long to prepare: namespaces, processes, connections.
constexpr Seconds preparation{1.5};
// And where it computes on GPUs: contexts, libraries, the fastest of their products by shape.
constexpr Seconds preparation_of_gpus{6};
constexpr double rate_of_gpu = 2e13;  // flops or bytes per second, before one is known

// On a terminal one line that is overwritten, else a line each.
void show(const SamplingProgress& progress) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  std::fprintf(
      stderr, "%sOperators: %d probes, %s; at most %.0f s left; %s%s", terminal ? "\r\033[K" : "",
      progress.probes,
      progress.held_out < 1
          ? fmt::format("{} % held-out error", std::to_string(progress.held_out * 100).substr(0, 4))
                .c_str()
          : "too few to tell an error",
      std::max(0.0, progress.left.value), progress.next.c_str(), terminal ? "" : "\n");
}

}  // namespace

Result<SampledCalibration> sampled_calibration(const SampledRequest& request) {
  Result<std::vector<Candidate>> candidates =
      probe_candidates(request.range, request.place.topology);
  if (!candidates) return candidates.error();
  Result<ProbeJournal> journal = ProbeJournal::open(request.journal, request.conditions);
  if (!journal) return journal.error();
  if (!journal->records().empty())
    std::fprintf(stderr, "%zu probes of %s are taken over.\n", journal->records().size(),
                 request.journal.c_str());
  SamplingOptions options;
  options.target = request.target;
  options.time = request.time;
  options.longest = request.time * 0.1;
  options.preparation = preparation;
  if (request.place.processor == Processor::gpu) {
    options.preparation = preparation_of_gpus;
    options.longest += preparation_of_gpus;
    options.unknown_rate = rate_of_gpu;
  }
  options.cores = request.cores;
  options.clock = [begin = std::chrono::steady_clock::now()] {
    return Seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
  };
  options.progress = &show;
  const Prober prober = [&](const Candidate& candidate, const ProbeSteps& steps) {
    return run_probe(candidate.probe, steps, request.place);
  };
  Result<Sampled> sampled = sample_operators(*candidates, prober, *journal, options);
  if (isatty(STDERR_FILENO) != 0) std::fputs("\r\033[K", stderr);
  if (!sampled) return sampled.error();
  return SampledCalibration{std::move(*sampled), journal->records(), std::move(*candidates)};
}

std::string how_it_ended(const Sampled& sampled) {
  std::string why;
  switch (sampled.end) {
    case SamplingEnd::target_reached:
      why = "the target was reached";
      break;
    case SamplingEnd::time_up:
      why = "the time was up";
      break;
    case SamplingEnd::all_measured:
      why = "nothing was left to measure";
      break;
  }
  return fmt::format("{} probes; median error of operators left out {}; ended when {}",
                     sampled.probes, percent(sampled.held_out), why);
}

std::vector<std::string> not_measured(const SampledRequest& request, const Sampled& sampled) {
  std::vector<std::string> all;
  if (sampled.held_out > request.target)
    all.push_back("operators to the target of " + percent(request.target) + ": " +
                  percent(sampled.held_out) + " was reached");
  const ProbeRange& range = request.range;
  all.push_back(
      fmt::format("models wider than {} or narrower than {}, micro-batches of more than {} tokens, "
                  "more than {} ranks",
                  range.largest, range.smallest, range.tokens, range.ranks));
  return all;
}

}  // namespace quintet::calibrate
