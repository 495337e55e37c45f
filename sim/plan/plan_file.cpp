#include "sim/plan/plan_file.h"

#include "sim/base/text_file.h"
#include "sim/plan/plan_lists.h"

namespace quintet {

Result<Plan> parse_plan(const std::string& text, const std::string& where) {
  const Result<nlohmann::json> tree = parse_json(text, where);
  if (!tree) return tree.error();
  JsonObject json(*tree, where);
  Plan plan;
  // First, as a misspelt "parallelism" would only seem to lack its field without a default.
  FieldNames names(json);
  fields(names, plan);
  json.refuse_unknown_keys();
  FieldReader reader(json);
  fields(reader, plan);
  if (json.failed()) return *json.error();
  return plan;
}

Result<Plan> read_plan(const std::filesystem::path& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  return parse_plan(*text, file.string());
}

FieldDescription plan_fields() {
  const FieldRecording recording = recorded([](FieldRecording& into) {
    JsonObject json(into);
    Plan plan;
    FieldReader reader(json);
    fields(reader, plan);
  });
  return description_of(recording.root);
}

std::string plan_text(const Plan& plan) {
  Plan written = plan;
  // A name that is not UTF-8 can only come from code; it must not throw.
  return FieldWriter(Digits::for_people).written(written).dump(2) + "\n";
}

}  // namespace quintet
