#include "sim/search/question_digest.h"

#include <fmt/format.h>

#include "sim/base/digest.h"
#include "sim/cost/file/cost_table_file.h"
#include "sim/plan/plan_file.h"
#include "sim/search/search_fields.h"

namespace quintet {
namespace {

void add(Digest& digest, std::string_view text) {
  digest.add(static_cast<std::uint64_t>(text.size()));
  for (const char letter : text) digest.add(static_cast<std::int32_t>(letter));
}

void add(Digest& digest, const Model& model) {
  add(digest, model.name);
  for (const int number :
       {model.layers, model.hidden, model.heads, model.kv_heads, model.head_dim, model.feed_forward,
        model.vocabulary, model.max_positions, model.token_types, model.sliding_window.value_or(0),
        static_cast<int>(model.family), static_cast<int>(model.mlp)})
    digest.add(number);
}

void add(Digest& digest, const Space& space) {
  add(digest, plan_text(space.base.plan));
  digest.add(space.base.global_batch).add(static_cast<std::int32_t>(space.base.data_given));
  for (const Dimension& dimension : space.dimensions) {
    add(digest, dimension.field->path);
    for (const Choice& choice : dimension.choices) add(digest, choice.text);
  }
}

void add(Digest& digest, const Topology& topology) {
  add(digest, topology.name);
  for (const Link& link : topology.links)
    digest.add(link.from.value).add(link.to.value).add(link.rate().value).add(link.latency.value);
  for (const GpuSpec& gpu : topology.gpu_specs) {
    add(digest, gpu.name);
    digest.add(gpu.memory.value).add(gpu.memory_bandwidth.value).add(gpu.price.value);
    digest.add(gpu.power.value).add(gpu.idle_power.value);
    for (const PeakRate& peak : gpu.peaks) digest.add(peak.rate.value);
  }
  digest.add(topology.network_power.value);
  for (const double speed : topology.slot_speeds) digest.add(speed);
}

void add(Digest& digest, const std::optional<Bill>& bill) {
  if (!bill) return;
  add(digest, bill->prices);
  const Amounts all = bought(*bill);
  digest.add(all.low.value).add(all.usual.value).add(all.high.value);
  for (const RentLine& line : bill->rented) digest.add(line.hour.amount.usual.value);
  for (const double number :
       {bill->electricity.amount.usual.value, bill->pue.usual, bill->years.usual,
        bill->upkeep.usual, bill->drawn.usual.value_or(-1)})
    digest.add(number);
}

void add(Digest& digest, const Wanted& wanted) {
  digest.add(static_cast<std::int32_t>(wanted.objective))
      .add(static_cast<std::int32_t>(wanted.pay));
  digest.add(wanted.headroom);
  const Limits& limits = wanted.limits;
  for (const auto& money : {limits.machine, limits.hour, limits.run})
    digest.add(money ? money->value : -1.0);
  digest.add(limits.deadline ? limits.deadline->value : -1.0);
  if (wanted.run) digest.add(wanted.run->count).add(static_cast<std::int32_t>(wanted.run->unit));
}

}  // namespace

std::string question_digest(const SearchQuestion& question, const SearchPlanned& planned,
                            std::uint64_t bounds) {
  Digest digest;
  digest.add(bounds).add(question.candidates.count());
  digest.add(static_cast<std::uint64_t>(planned.simulate));
  digest.add(static_cast<std::uint64_t>(planned.list));
  digest.add(static_cast<std::int32_t>(planned.prove));
  add(digest, question.candidates.model());
  add(digest, question.candidates.space());
  for (const SearchMachine& machine : question.candidates.machines()) {
    add(digest, machine.topology);
    add(digest, text_of(machine.costs));
  }
  for (const std::optional<Bill>& bill : question.bills) add(digest, bill);
  add(digest, question.wanted);
  return fmt::format("{:016x}", digest.value());
}

}  // namespace quintet
