#include "sim/training_run/loss_curves.h"

#include <fmt/format.h>

#include <set>

#include "sim/base/shown_text.h"
#include "sim/base/text_file.h"
#include "sim/json/field_list.h"
#include "sim/plan/plan_lists.h"

namespace quintet {

template <class File>
void fields(File& file, LossCurve& curve) {
  file.required({"name", "of the curve in tables"}, curve.name);
  file.required({"optimizer", "the plan's optimizer in that run"}, curve.optimizer);
  file.field({"clipping", "the plan's clipping in that run"}, curve.clipping);
  file.required({"replicator", "the plan's replicator in that run"}, curve.replicator);
  file.required({"steps", "after so many steps, ascending"}, curve.steps,
                Between{1, 1'000'000'000});
  file.required({"losses", "the loss after each of them: as many, above 0"}, curve.losses);
}

template <class File>
void fields(File& file, LossCurves& curves) {
  file.required({"name", "of what was trained"}, curves.name);
  file.field({"source", "who measured it, with what"}, curves.source);
  file.field({"model", "whose loss it is, as plans' models are named; empty: not known"},
             curves.model);
  file.field({"global_batch", "sequences of a step in those runs; 0: not known"},
             curves.global_batch, Between{0, 1'000'000'000});
  file.field({"sequence_length", "tokens of a sequence in those runs; 0: not known"},
             curves.sequence_length, Between{0, 1'000'000'000});
  file.required({"curves", "one for each run: one model, one text, one batch"}, curves.curves);
}

namespace {

LossCurves read_all(JsonObject& root) {
  LossCurves curves;
  FieldReader reader(root);
  fields(reader, curves);
  return curves;
}

std::string wrong_points(const LossCurve& curve) {
  if (curve.steps.empty()) return "expected a step or more, found none";
  if (curve.steps.size() != curve.losses.size())
    return fmt::format("expected as many losses as steps, found {} and {}", curve.losses.size(),
                       curve.steps.size());
  for (std::size_t at = 1; at < curve.steps.size(); ++at)
    if (curve.steps[at] <= curve.steps[at - 1])
      return fmt::format("expected ascending steps, found {} behind {}", curve.steps[at],
                         curve.steps[at - 1]);
  for (const double loss : curve.losses)
    if (!(loss > 0)) return fmt::format("expected losses above 0, found {:.6g}", loss);
  return {};
}

Result<LossCurves> checked(LossCurves curves, const std::string& where) {
  if (curves.curves.empty()) return Error{where + ": curves", "expected one or more, found none"};
  std::set<std::string> names;
  for (std::size_t at = 0; at < curves.curves.size(); ++at) {
    const LossCurve& curve = curves.curves[at];
    const std::string place = fmt::format("{}: curves[{}]", where, at);
    if (!names.insert(curve.name).second)
      return Error{place + ".name", in_quotes(curve.name) + " is an earlier one's too"};
    if (const std::string wrong = wrong_points(curve); !wrong.empty()) return Error{place, wrong};
  }
  return curves;
}

}  // namespace

Result<LossCurves> parse_loss_curves(const std::string& text, const std::string& where) {
  const Result<nlohmann::json> json = parse_json(text, where);
  if (!json) return json.error();
  JsonObject root(*json, where);
  LossCurves curves = read_all(root);
  if (!root.failed()) root.refuse_unknown_keys();
  if (root.failed()) return *root.error();
  return checked(std::move(curves), where);
}

Result<LossCurves> read_loss_curves(const std::filesystem::path& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  return parse_loss_curves(*text, file.string());
}

FieldDescription loss_curve_fields() {
  const FieldRecording recording = recorded([](FieldRecording& into) {
    JsonObject root(into);
    static_cast<void>(read_all(root));
  });
  return description_of(recording.root);
}

}  // namespace quintet
