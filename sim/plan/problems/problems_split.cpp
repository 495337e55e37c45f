#include <fmt/format.h>

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
                     fmt::format("{} {} cannot be split over {} ranks", split.number, split.what,
                                 parallelism.tensor),
                     use_one_of(divisors(all)) + ", which divide all that is split"});
  }
}

void find_sequence_problems(const Parallelism& parallelism, const Model& model, Problems& found) {
  if (parallelism.sequence_parallel && parallelism.tensor == 1)
    found.push_back({"parallelism.sequence_parallel", "needs tensor parallelism to split along",
                     "set it to false, or parallelism.tensor above 1"});
  if (parallelism.sequence_parallel && parallelism.sequence_length % parallelism.tensor != 0)
    found.push_back(
        {"parallelism.sequence_length",
         fmt::format("{} tokens cannot be split over {} ranks for sequence parallelism",
                     parallelism.sequence_length, parallelism.tensor),
         fmt::format("use a multiple of {}, or set parallelism.sequence_parallel to false",
                     parallelism.tensor)});
  if (model.positions == PositionKind::learned && parallelism.sequence_length > model.max_positions)
    found.push_back({"parallelism.sequence_length",
                     fmt::format("{} is longer than the model's table of {} positions",
                                 parallelism.sequence_length, model.max_positions),
                     fmt::format("use {} or less", model.max_positions)});
}

}  // namespace

void find_split_problems(const Parallelism& parallelism, const Model& model, Problems& found) {
  find_tensor_problems(parallelism, model, found);
  find_sequence_problems(parallelism, model, found);
}

}  // namespace quintet
