#include <fmt/format.h>

#include <string>

#include "sim/base/quantity_text.h"
#include "sim/plan/problems/problem_finders.h"

namespace quintet {

namespace {

constexpr Bytes least_piece{4096};

void find_moment_problems(const Parallelism& parallelism, Problems& found) {
  const char* const field = "parallelism.moment_type";
  const DataType type = parallelism.moment_type;
  if (type != DataType::fp32 && type != DataType::bf16)
    found.push_back(
        {field, "moments are not kept in " + std::string(name_of(type)), "use fp32 or bf16"});
  else if (type != DataType::fp32 && parallelism.optimizer != Optimizer::adamw)
    found.push_back({field,
                     fmt::format("only adamw keeps its moments in {}, not {}", name_of(type),
                                 name_of(parallelism.optimizer)),
                     "use fp32, or optimizer adamw"});
}

void find_state_problems(const Parallelism& parallelism, Problems& found) {
  const Offload& offload = parallelism.offload;
  if (!(offload.optimizer >= 0.0 && offload.optimizer <= 1.0))
    found.push_back({"parallelism.offload.optimizer", "is not a share of the optimizer's state",
                     "use a number from 0 (none) to 1 (all)"});
  if (!(offload.piece >= least_piece))
    found.push_back({"parallelism.offload.piece",
                     fmt::format("\"{}\" is too little for a copy", text(offload.piece)),
                     fmt::format("use \"{}\" or more", text(least_piece))});
  if (offload.optimizer > 0 && parallelism.optimizer == Optimizer::lamb)
    found.push_back({"parallelism.offload.optimizer",
                     "lamb measures all directions before it takes a step: its state would have to "
                     "come twice",
                     "use 0, or optimizer adamw or sgd"});
}

void find_activation_problems(const Parallelism& parallelism, Problems& found) {
  if (!parallelism.offload.activations) return;
  if (parallelism.recompute != Recompute::full)
    found.push_back(
        {"parallelism.offload.activations",
         fmt::format("recompute {} keeps more of a layer than PCIe carries while it computes; only "
                     "the one input that recompute full keeps is offloaded",
                     name_of(parallelism.recompute)),
         "use recompute full, or false"});
  else if (parallelism.recompute_layers != 0)
    found.push_back({"parallelism.offload.activations",
                     fmt::format("layers beyond the first {} keep all they computed, which is not "
                                 "offloaded",
                                 parallelism.recompute_layers),
                     "use recompute_layers 0 (all), or false"});
}

}  // namespace

void find_offload_problems(const Parallelism& parallelism, Problems& found) {
  find_moment_problems(parallelism, found);
  find_state_problems(parallelism, found);
  find_activation_problems(parallelism, found);
}

}  // namespace quintet
