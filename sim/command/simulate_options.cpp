#include "sim/command/simulate_options.h"

#include "sim/timeline/chosen_ranks.h"

namespace quintet {

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
            ".gz or .zst",
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

}  // namespace quintet
