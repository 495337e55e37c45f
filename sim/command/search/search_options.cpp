#include "sim/command/search/search_options.h"

#include <array>

namespace quintet {
namespace {

constexpr std::array objectives{"step", "speed", "money", "energy"};
constexpr std::array payments{"rented", "owned"};
constexpr std::array exactness{"analytic", "fluid"};

Options space_options(SearchArguments& into) {
  InputNames& inputs = into.inputs;
  using enum Need;
  return {
      {"plan", &inputs.plans,
       "Plan file or name of a shipped plan: what is not listed or freed stays as it says; none: "
       "what is not said is chosen, or usual",
       "PLAN"},
      {"--model", &inputs.model, "Hugging Face config.json, its folder, or a shipped model", "FILE",
       required},
      {.names = "--topology",
       .into = &inputs.topologies,
       .does = "Topology file, or a shipped machine; repeated: one of several",
       .type = "FILE",
       .need = required,
       .one_each_time = true},
      {"--hosts", &into.hosts, "So many hosts; 8,16,32 or 8..32: one of several", "N"},
      {"--costs", &inputs.costs, "Cost table; default: the shipped one for the machine's GPU",
       "FILE"},
      {"--stack", &inputs.stack, "Training software whose kernels compute (quintet list stacks)",
       "FILE"},
      {.names = "--free",
       .into = &into.free,
       .does = "Choose this field, or all of a layer (parallelism, ccl, intra_inter, host_net, "
               "network, all); may be repeated; --list-fields says which there are",
       .type = "LAYER|FIELD",
       .one_each_time = true},
      {.names = "--fix",
       .into = &into.fix,
       .does = "This field has this value, as by --set; may be repeated",
       .type = "FIELD=VALUE",
       .one_each_time = true},
  };
}

Options wish_options(SearchArguments& into) {
  using enum Need;
  return {
      {.names = "--objective",
       .into = &into.objective,
       .does = "Least time of a step, time of a token (speed), money of a token or energy of a "
               "token",
       .type = "WORD",
       .need = has_default,
       .check = OneOf{objectives}},
      {.names = "--pay",
       .into = &into.pay,
       .does = "Whose money an hour costs: GPUs that are rented, or a machine that is owned",
       .type = "WORD",
       .need = has_default,
       .check = OneOf{payments}},
      {.names = "--budget",
       .into = &into.budgets,
       .does = "No more money than this: \"20 M$\" to buy the machine, \"3000 $/h\" an hour, \"5 "
               "M$/run\" the whole run; may be repeated",
       .type = "MONEY",
       .one_each_time = true},
      {.names = "--headroom",
       .into = &into.headroom,
       .does =
           "This share of each GPU's memory stays free, such as 0.05: predictions of memory are "
           "not exact",
       .type = "SHARE",
       .need = has_default,
       .check = NumberRange{0, 0.95}},
      {"--deadline", &into.deadline,
       "The run (--tokens, --samples or --steps) takes no longer: \"30 d\", \"12 h\"", "TIME"},
  };
}

Options work_options(SearchArguments& into) {
  using enum Need;
  return {
      {"--fluid", &into.fluid,
       "The so many best by the analytic fidelity are simulated (fluid); 0: none", "K", has_default,
       WholeRange{0, 100'000}},
      {.names = "--exact",
       .into = &into.exact,
       .does = "Prove the winner at this fidelity: analytic (always done), or fluid, where all "
               "that bounds do not exclude is simulated",
       .type = "FIDELITY",
       .check = OneOf{exactness}},
      {"--top", &into.top,
       "So many best plans are shown and written; of those that come out alike the first", "N",
       has_default, WholeRange{1, 10'000}},
      {"--time", &into.time, "Stop after so long, with the best so far: \"60 s\", \"2 h\"", "TIME"},
      {"--state", &into.state,
       "Save the search here every few seconds, and go on from what is here; a folder where "
       "several processes share the search",
       "FILE"},
      {"--merge", &into.merge,
       "Print what the parts of a search in the folder of --state found, and do nothing else"},
      {"-o,--output", &into.output,
       "Write the best plans into this folder: 01-tp8-pp2-dp8.json, ...", "FOLDER"},
      {"--count", &into.count, "Say how many candidates there are, and stop"},
      {"--list-fields", &into.fields,
       "Say which fields can be searched, and what is chosen of each when it is free, and stop"},
      {"--brief", &into.brief, "The table alone, without advice on the first plan"},
      {"--html", &into.pictures.html, "Write the advice as a page of drawings, too", "FILE"},
      {"--json", &into.json, "Print JSON (docs/schema/search.json); errors too"},
      {"--threads", &into.threads, "Default: one per core", "", optional, WholeRange{1, 1024}},
      {"-q,--quiet", &into.quiet, "No progress and no remarks"},
  };
}

}  // namespace

Options search_options(SearchArguments& into) {
  return together({space_options(into), wish_options(into), work_options(into),
                   run_options(into.run), money_options(into.money),
                   plan_flag_options(into.flags)});
}

}  // namespace quintet
