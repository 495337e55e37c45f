#include "calibrate/probes/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/quantity_text.h"
#include "sim/compile/step_program.h"
#include "sim/program/groups.h"

namespace quintet::calibrate {
namespace {

constexpr int probe_layers = 4;
constexpr int grain = 64;  // widths are multiples, as those of models are

int rounded(double value) {
  return std::max(grain, static_cast<int>(std::lround(value / grain)) * grain);
}

// By factors of 1.4, the ends among them.
std::vector<int> widths_of(const ProbeRange& range) {
  std::vector<int> widths;
  for (double width = range.smallest; width < range.largest * 0.95; width *= 1.4)
    widths.push_back(rounded(width));
  widths.push_back(range.largest);
  widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
  return widths;
}

// Degrees and sharding; operators of a pipeline's stages have the shapes of one stage's, so that
// two stages do.
std::vector<Parallelism> forms_of(const ProbeRange& range) {
  const int ranks = range.ranks;
  std::vector<Parallelism> forms;
  for (const int pipeline : {1, 2})
    for (int tensor = 1; tensor <= ranks; ++tensor) {
      if (ranks % (tensor * pipeline) != 0) continue;
      Parallelism form;
      form.tensor = tensor;
      form.pipeline = pipeline;
      form.data = ranks / (tensor * pipeline);
      form.micro_batches = 2 * pipeline;
      forms.push_back(form);
      if (range.processor == Processor::gpu && form.data == ranks) {
        forms.push_back(form);
        forms.back().attention = AttentionChoice::unfused;
      }
      if (form.data == 1 || pipeline > 1 || tensor > 1) continue;
      for (const Sharding sharding : {Sharding::optimizer, Sharding::parameters}) {
        forms.push_back(form);
        forms.back().sharding = sharding;
      }
    }
  return forms;
}

std::string form_text(const Parallelism& form, DataType type, const Model& model) {
  return fmt::format(
      "{}-{}-tensor{}-data{}-pipeline{}{}{}", model.name, name_of(type), form.tensor, form.data,
      form.pipeline,
      form.sharding == Sharding::none ? "" : "-sharded-" + std::string(name_of(form.sharding)),
      form.attention == AttentionChoice::flash ? "" : "-unfused");
}

std::vector<CountedOperator> counted(const Program& program) {
  std::vector<CountedOperator> all;
  const auto add = [&](const PricedOperator& work, int count) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const CountedOperator& each) { return each.work == work; });
    if (found == all.end())
      all.push_back({work, count});
    else
      found->count += count;
  };
  const int ranks_of_role =
      world_size(program.grid) / static_cast<int>(std::max<std::size_t>(1, program.roles.size()));
  for (const Role& role : program.roles)
    for (const Call& call : role.script.calls)
      for (const Instruction& instruction : program.bodies[call.body.index()].instructions)
        if (const auto* const compute = std::get_if<Compute>(&instruction.action))
          add(as_priced(compute->work), call.layers * ranks_of_role);
  return all;
}

struct Choice {
  const Model& model;
  Parallelism form;
  DataType type;
  int width, sequences, length;
  Processor processor;
  NetworkProtocol protocol;
};

Probe probe_of(const Choice& choice) {
  Probe probe;
  probe.model = scaled(choice.model, choice.width);
  probe.form = form_text(choice.form, choice.type, choice.model);
  probe.name =
      fmt::format("{}-width{}-{}x{}", probe.form, choice.width, choice.sequences, choice.length);
  probe.model.max_positions = std::max(probe.model.max_positions, choice.length);
  probe.plan.name = probe.name;
  probe.plan.parallelism = choice.form;
  if (choice.protocol == NetworkProtocol::tcp) probe.plan.network.mtu = 1448;  // Ethernet's
  probe.plan.parallelism.compute_type = choice.type;
  probe.plan.parallelism.sequence_length = choice.length;
  probe.plan.parallelism.micro_batch = choice.sequences;
  if (choice.processor == Processor::gpu) probe.plan.host_net.launch = Launch::graphs;
  return probe;
}

// Halves of the longest, so that attention is seen at two lengths.
std::vector<int> lengths_of(const ProbeRange& range) {
  if (range.length < 64) return {range.length};
  return {range.length, range.length / 2};
}

// A quarter of the tokens to all of them.
std::vector<int> sequences_of(const ProbeRange& range, int length) {
  std::vector<int> all;
  for (int sequences = 1; sequences * length <= range.tokens; sequences *= 2)
    if (4 * sequences * length >= range.tokens) all.push_back(sequences);
  return all;
}

}  // namespace

Model scaled(const Model& model, int width) {
  Model made = model;
  const double share = static_cast<double>(width) / model.hidden;
  const int group = std::max(1, model.heads / std::max(1, model.kv_heads));
  made.hidden = width;
  made.heads = std::max(1, static_cast<int>(std::lround(model.heads * share)));
  made.heads = std::max(group, made.heads / group * group);
  made.kv_heads = made.heads / group;
  made.head_dim = model.head_dim;
  made.feed_forward = rounded(model.feed_forward * share);
  made.layers = probe_layers;
  made.name = fmt::format("{}-width{}", model.name, width);
  return made;
}

Result<std::vector<Candidate>> probe_candidates(const ProbeRange& range, const Topology& topology) {
  std::vector<Candidate> candidates;
  std::string why;
  for (const Model& model : range.models)
    for (const DataType type : range.types)
      for (const Parallelism& form : forms_of(range))
        for (const int width : widths_of(range))
          for (const int length : lengths_of(range))
            for (const int sequences : sequences_of(range, length)) {
              Probe probe = probe_of({model, form, type, width, sequences, length, range.processor,
                                      topology.protocol});
              const Result<Program> program =
                  checked_step_program(probe.model, probe.plan, topology);
              if (program)
                candidates.push_back({std::move(probe), counted(*program)});
              else
                why = program.error().text();
            }
  if (candidates.empty())
    return Error{"quintet calibrate", fmt::format("no step of {} ranks can be measured{}",
                                                  range.ranks, why.empty() ? "" : ": " + why)};
  return candidates;
}

}  // namespace quintet::calibrate
