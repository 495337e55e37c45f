#include <numeric>
#include <string>

#include "sim/plan/problems/problem_finders.h"

namespace quintet {

namespace {

struct Split {
  const char* what;
  int number;
};

// What tensor parallelism cuts into equal parts (Megatron-LM, arXiv 1909.08053 section 3). The
// vocabulary is padded instead (sim/model/parameters.h).
void find_tensor_problems(const Parallelism& parallelism, const Model& model, Problems& found) {
  const std::vector<Split> splits{
      {"attention heads", model.heads},
      {"key/value heads", model.kv_heads},
      {"columns of the MLP", model.feed_forward},
  };
  const int all = std::gcd(std::gcd(model.heads, model.kv_heads), model.feed_forward);
  for (const Split& split : splits) {
    if (split.number % parallelism.tensor == 0) continue;
    found.push_back({"parallelism.tensor",
                     std::to_string(split.number) + " " + split.what + " cannot be split over " +
                         std::to_string(parallelism.tensor) + " ranks",
                     use_one_of(divisors(all)) + ", which divide all that is split"});
  }
}

void find_sequence_problems(const Parallelism& parallelism, const Model& model, Problems& found) {
  if (parallelism.sequence_parallel && parallelism.tensor == 1)
    found.push_back({"parallelism.sequence_parallel", "needs tensor parallelism to split along",
                     "set it to false, or parallelism.tensor above 1"});
  if (parallelism.sequence_parallel && parallelism.sequence_length % parallelism.tensor != 0)
    found.push_back({"parallelism.sequence_length",
                     std::to_string(parallelism.sequence_length) + " tokens cannot be split over " +
                         std::to_string(parallelism.tensor) + " ranks for sequence parallelism",
                     "use a multiple of " + std::to_string(parallelism.tensor) +
                         ", or set parallelism.sequence_parallel to false"});
  if (model.positions == PositionKind::learned && parallelism.sequence_length > model.max_positions)
    found.push_back({"parallelism.sequence_length",
                     std::to_string(parallelism.sequence_length) +
                         " is longer than the model's table of " +
                         std::to_string(model.max_positions) + " positions",
                     "use " + std::to_string(model.max_positions) + " or less"});
}

}  // namespace

void find_split_problems(const Parallelism& parallelism, const Model& model, Problems& found) {
  find_tensor_problems(parallelism, model, found);
  find_sequence_problems(parallelism, model, found);
}

}  // namespace quintet
