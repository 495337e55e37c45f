#include "sim/command/simulate_options.h"

#include <fmt/format.h>

#include "sim/timeline/chosen_ranks.h"

namespace quintet {

namespace {

constexpr const char* fidelities[] = {"fluid", "analytic"};

}  // namespace

Options simulate_options(SimulateArguments& into) {
  InputNames& inputs = into.inputs;
  using enum Need;
  return together(
      {{
           {"plans", &inputs.plans,
            "Plan files, or names of shipped plans; several are compared; none: the plan that the "
            "options below describe",
            "PLAN"},
           {"--model", &inputs.model, "Hugging Face config.json, its folder, or a shipped model",
            "FILE", required},
           {.names = "--topology",
            .into = &inputs.topologies,
            .does = "Topology file, or a shipped machine; repeated: several side by side",
            .type = "FILE",
            .need = required,
            .one_each_time = true},
           {"--costs", &inputs.costs, "Cost table; default: the shipped one for the machine's GPU",
            "FILE"},
           {"--stack", &inputs.stack,
            "Training software whose kernels compute (quintet list stacks): what it fuses, and its "
            "costs on the CPU; "
            "default: Megatron-LM's kernels",
            "FILE"},
           hosts_option(inputs.hosts),
           {"--trace", &into.trace.file,
            "Write a trace for Perfetto or chrome://tracing to this file; packed where it ends in "
            ".gz or .zst; of several plans each into a file of its own, with the plan's name "
            "before the ending",
            "FILE"},
           {.names = "--trace-ranks",
            .into = &into.trace.ranks,
            .does = "The trace shows these ranks, each on its own; default: one of each kind",
            .type = "0,8-15",
            .check = Judged{complaint_of_ranks}},
           {"--html", &into.pictures.html, "Write a page of drawings, too", "FILE"},
           {"--svg", &into.pictures.svg, "Write each drawing into this folder", "FOLDER"},
           {"--assumptions", &into.assumptions,
            "Predict again with routing, overlap and rates changed one by one, and say what moves "
            "the step "
            "most; takes ten times as long"},
           {"--json", &into.json,
            "Print JSON (schema_version 2, docs/schema/simulate.json) instead of tables; errors "
            "too"},
           {.names = "--csv",
            .into = &into.csv,
            .does = "Print CSV, a line per plan, instead of tables",
            .excludes = "--json"},
           {"--memory", &into.whole_memory,
            "Show the memory of all stages, not only of the first, the last and the fullest"},
           {"--print-program", &into.print_program,
            "Print what every stage does, instruction by instruction, and stop"},
           {"--full-attention", &into.full_attention,
            "Count the FLOPs of causal attention in full, not by half, for MFU and HFU"},
           {.names = "--fidelity",
            .into = &into.fidelity,
            .does = "fluid walks the step; analytic puts it together from pieces in microseconds, "
                    "without a timeline",
            .type = "WORD",
            .need = has_default,
            .check = OneOf{fidelities}},
           {"--unfolded", &into.unfolded, "Simulate every rank on its own (slow; equal result)"},
           {"-o,--output", &into.output,
            "Write the plan to this file; of several the fastest that fits", "FILE"},
           {"--threads", &into.threads,
            "How many plans of lists are predicted at once; default: one per core", "", optional,
            WholeRange{1, 1024}},
           {"-q,--quiet", &into.trace.quiet, "No progress and no remarks"},
       },
       run_options(into.run),
       fault_options(inputs.faults),
       faulted_run_options(into.faults),
       money_options(into.money),
       plan_flag_options(into.flags)});
}

std::optional<Error> wrong_with_faults(const SimulateArguments& arguments, bool several) {
  if (!arguments.faults.asked() && arguments.faults.adapt)
    return Error{"--adapt", "is for runs of many steps: give --faults FILE, too"};
  if (!arguments.faults.asked()) return std::nullopt;
  if (several)
    return Error{"--faults", "is of plans as they are; give one value of each field, one machine"};
  struct Wrong {
    const char* option;
    bool given;
    const char* why;
  };
  const bool none = arguments.inputs.plans.empty();
  for (const Wrong& each : {
           Wrong{"--trace", !arguments.trace.file.empty(),
                 "draws one step, and those of --faults differ"},
           Wrong{"--csv", arguments.csv,
                 "has a line for each plan; runs with --faults have --json"},
           Wrong{"--html and --svg", arguments.pictures.wanted(),
                 "draw one step, and those of --faults differ"},
           Wrong{"--output", !arguments.output.empty(),
                 none ? "writes the plan that the options describe, which --faults does not change"
                      : "writes the fastest of several plans, which --faults does not choose"},
           Wrong{"--money", arguments.money.money,
                 "knows the power of one step, and those of --faults differ"},
           Wrong{"--assumptions", arguments.assumptions,
                 "predicts one step again and again, and --faults has many"},
           Wrong{"--memory", arguments.whole_memory,
                 "tells what a plan keeps, which --faults does not change"},
           Wrong{"--full-attention", arguments.full_attention,
                 "is of MFU and HFU, which runs with --faults do not tell"},
           Wrong{"--print-program", arguments.print_program,
                 "prints what a plan does, which --faults does not change"},
       })
    if (each.given) return Error{each.option, fmt::format("{}: leave one of them out", each.why)};
  return std::nullopt;
}

}  // namespace quintet
