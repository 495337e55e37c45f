// The kernels of one step of a model on one GPU, as the engine asks for them, with what they move
// and what they take by a cost table: a line of JSON each, then one of the whole.
//   counted_step_program CONFIG.json LENGTH SEQUENCES MICRO_BATCHES COSTS.json
// tests/gpu/counted_steps.py makes a table of it. No GPU is needed, and nothing is computed.
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sim/cost/file/cost_table_file.h"
#include "sim/model/model_file.h"
#include "tests/engine/kernel_counts/kernel_prices.h"

namespace quintet::engine::test {
namespace {

std::string_view name_of(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return "forward";
    case Pass::loss:
      return "loss";
    case Pass::backward:
      return "backward";
    case Pass::update:
      return "update";
  }
  return "";
}

void say(const nlohmann::json& line) {
  std::puts(line.dump().c_str());
}

int failed(const Error& error) {
  std::fprintf(stderr, "%s\n", error.text().c_str());
  return 2;
}

int run(char** arguments) {
  auto model = read_model(arguments[1]);
  if (!model) return failed(model.error());
  const auto table = read_cost_table(arguments[5]);
  if (!table) return failed(table.error());
  const Sequences sequences{std::atoi(arguments[3]), std::atoi(arguments[2]),
                            std::atoi(arguments[4])};
  if (sequences.count < 1 || sequences.length < 1 || sequences.micro_batches < 1)
    return failed({"LENGTH SEQUENCES MICRO_BATCHES", "are whole numbers from 1"});
  // As the others of tests/gpu/models.py.
  model->dropout = model->attention_dropout = 0;
  const auto tally = step_tally(*model, sequences);
  if (!tally) return failed(tally.error());
  double launches = 0;
  for (const auto& [key, sum] : *tally) {
    const KernelPrice price = price_of(key, sum, *table);
    launches += sum.launches;
    say({{"kernel", key.name},
         {"pass", name_of(key.pass)},
         {"part", price.part},
         {"calls", sum.calls},
         {"launches", sum.launches},
         {"bytes", sum.bytes},
         {"flops", price.flops},
         {"seconds", price.time.value}});
  }
  say({{"launches", launches},
       {"gap_s", (launches * table->launch.gap).value},
       {"memory_bandwidth", table->memory_bandwidth.value}});
  return 0;
}

}  // namespace
}  // namespace quintet::engine::test

int main(int count, char** arguments) {
  if (count == 6) return quintet::engine::test::run(arguments);
  std::fputs("usage: counted_step_program CONFIG.json LENGTH SEQUENCES MICRO_BATCHES COSTS.json\n",
             stderr);
  return 2;
}
