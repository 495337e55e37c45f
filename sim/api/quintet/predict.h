// A step predicted, or many plans compared: what `quintet simulate` does.
//
// Thread-safe: any number of predictions may run at once. The same input gives the same answer, to
// the last digit, as the command does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quintet/export.h"
#include "quintet/files.h"
#include "quintet/timeline.h"

namespace quintet::api {

struct PredictOptions {
  std::optional<Costs> costs;    // none: the shipped table of the machine's GPU
  std::string stack;             // path or shipped name; empty: Megatron-LM's kernels
  std::vector<std::string> set;  // "parallelism.tensor=4", "host.nic.bandwidth=400 Gb/s"
  std::optional<double> tokens;  // of a whole run: its days, energy and money too
  bool assumptions = false;      // predict again with each assumption otherwise: ten times as long
  bool unfolded = false;         // every rank on its own: slow, an equal answer
  bool full_attention = false;   // count causal attention in full for MFU and HFU
  // Called now and then with the share done, 0 to 1, by the thread that predicts. What it throws
  // ends the prediction.
  std::function<void(double share)> progress;
};

enum class Fit { not_known, fits, too_close, does_not_fit };  // too_close: to tell

struct Numbers {
  double step_s = 0;  // where replicas exchange something every n steps, the mean of those
  std::optional<double> low_s, high_s;  // nine of ten such steps lie between; none: not known
  double mfu = 0, hfu = 0;              // shares of the peak, 0 to 1
  double tokens_per_s = 0, tokens_per_s_per_gpu = 0;
  double memory_bytes = 0, capacity_bytes = 0;  // of the fullest GPU; capacity 0: not known
  Fit fit = Fit::not_known;
  bool operator==(const Numbers&) const = default;
};

class QUINTET_API Prediction {
 public:
  struct Inside;
  explicit Prediction(std::unique_ptr<const Inside> inside);
  Prediction(Prediction&&) noexcept;
  Prediction& operator=(Prediction&&) noexcept;
  ~Prediction();

  const std::string& name() const;  // of the plan
  Numbers numbers() const;
  // As `quintet simulate --json` prints it (docs/schema/simulate.json), the line end too.
  std::string json() const;
  std::string text() const;       // as `quintet simulate` prints it
  std::string plan_json() const;  // the plan that was predicted, defaults written out
  Timeline timeline() const;      // a track for each kind of ranks
  Timeline timeline(const std::vector<int>& ranks) const;  // a track for each of these
  // For ui.perfetto.dev; packed where it ends in .gz or .zst. Throws Failure.
  void write_trace(const std::string& path) const;
  const Inside& inside() const { return *inside_; }  // for this library

 private:
  std::unique_ptr<const Inside> inside_;
};

// Throws Failure when the plan does not suit the model or the machine, or the costs do not cover
// it. A plan that does not fit in memory is an answer, not a failure.
QUINTET_API Prediction predict(const Model& model, const Plan& plan, const Topology& topology,
                               const PredictOptions& options = {});

struct SweepRow {
  std::string name;      // "tensor 4, pipeline 2"
  std::string topology;  // what its machine is called
  Numbers numbers;
  Plan plan;  // to be predicted in detail
  bool operator==(const SweepRow&) const = default;
};

struct RefusedPlan {
  std::string name, reason;
  bool operator==(const RefusedPlan&) const = default;
};

struct Sweep {
  std::vector<SweepRow> rows;  // those that fit before those that do not, the fastest first
  std::vector<RefusedPlan> refused;
  std::string json;  // as `quintet simulate --json` prints lists
};

// All combinations of lists of values in options.set ("parallelism.tensor=1,2,4") with each plan;
// no plan at all: what the lists say. `threads` 0: one per core. Throws Failure where the input is
// wrong, not where single plans are refused. Of options it uses costs, stack, set, unfolded and
// full_attention.
QUINTET_API Sweep sweep(const Model& model, const std::vector<Plan>& plans,
                        const Topology& topology, const PredictOptions& options, int threads = 0);

}  // namespace quintet::api
