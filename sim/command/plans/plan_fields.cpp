#include "sim/command/plans/plan_fields.h"

#include <cstdio>

#include "sim/asked/field_text.h"
#include "sim/base/shown_text.h"
#include "sim/plan/plan_file.h"
#include "sim/topology/file/topology_file.h"
#include "sim/usage/complain.h"

namespace quintet {
namespace {

Error no_such_field(const std::string& given) {
  return {
      in_quotes(given),
      "is no layer and no field; layers are parallelism, ccl, intra_inter, host_net, network, "
      "run, host, topology, costs, prices; a field is such as parallelism.sharding or sharding"};
}

// Fields of that name in this object and those inside it, each with its path.
std::string fields_named(const FieldDescription& object, const std::string& prefix,
                         const std::string& name) {
  FieldDescription found = object;
  std::erase_if(found.fields, [&](const FieldDescription& field) {
    return prefix + field.key != name && field.key != name;
  });
  std::string text = found.fields.empty() ? "" : fields_text(found, prefix);
  for (const FieldDescription& field : object.fields)
    if (field.key != name && !field.fields.empty() && !field.key.ends_with("groups"))
      text += fields_named(field, prefix + field.key + ".", name);
  return text;
}

// The plan's layers for its README; of a file that is named all, for its page in docs/formats.
ExitCode print_markdown(const std::string& kind, bool whole) {
  const Result<FieldDescription> file = fields_of_file(kind);
  if (!file) return complain(file.error());
  std::fputs((whole ? file_markdown(*file) : fields_markdown(*file)).c_str(), stdout);
  return ExitCode::done;
}

}  // namespace

ExitCode print_fields(const std::string& of, FieldsAs as) {
  const std::string layer = of.empty() ? "plan" : of;
  if (as == FieldsAs::markdown) return print_markdown(layer, !of.empty());
  const FieldDescription plan = plan_fields(), machine = topology_fields();
  if (const auto file = fields_of_file(layer)) {
    const std::string prefix = layer == "plan" ? "" : layer + ".";
    std::fputs(fields_text(*file, prefix).c_str(), stdout);
    return ExitCode::done;
  }
  const FieldDescription* found = field_of(plan, layer);
  if (found == nullptr || found->fields.empty()) found = field_of(machine, layer);
  const std::string text = found != nullptr && !found->fields.empty()
                               ? fields_text(*found, layer + ".")
                               : fields_named(plan, "", layer) + fields_named(machine, "", layer);
  if (text.empty()) return complain(no_such_field(layer));
  std::fputs(text.c_str(), stdout);
  return ExitCode::done;
}

}  // namespace quintet
