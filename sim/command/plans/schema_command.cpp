#include <cstdio>
#include <memory>

#include "sim/asked/field_text.h"
#include "sim/command/commands.h"
#include "sim/usage/complain.h"

namespace quintet {
namespace {

struct SchemaArguments {
  std::string kind;
};

ExitCode print_schema(const SchemaArguments& arguments) {
  const Result<FieldDescription> fields = fields_of_file(arguments.kind);
  if (!fields) return complain(fields.error());
  std::fputs(schema_text(*fields, "Quintet " + arguments.kind).c_str(), stdout);
  return ExitCode::done;
}

constexpr const char* kinds[] = {"plan", "topology", "costs", "prices", "faults", "losses", "jobs"};

Options options(SchemaArguments& into) {
  return {{"kind", &into.kind, "Of which file: plan, topology, costs, prices, faults, losses or jobs",
           "KIND", Need::required, OneOf{kinds}}};
}

}  // namespace

std::unique_ptr<Verb> schema_verb() {
  return make_verb<SchemaArguments>(
      {"schema", "Print the JSON Schema of a kind of file, for editors that check and complete",
       "Example:\n"
       "  quintet schema plan\n"
       "Exit: 0 done, 2 wrong usage or input."},
      {options, print_schema});
}

}  // namespace quintet
