#include "gui/scenario/sweep/field_offers.h"

#include "sim/asked/settings.h"
#include "sim/plan/plan_file.h"
#include "sim/topology/file/topology_file.h"

namespace quintet::gui {

namespace {

bool can_vary(FieldKind kind) {
  switch (kind) {
    case FieldKind::truth:
    case FieldKind::whole:
    case FieldKind::number:
    case FieldKind::size:
    case FieldKind::time:
    case FieldKind::bandwidth:
    case FieldKind::flop_rate:
    case FieldKind::power:
    case FieldKind::price:
    case FieldKind::word:
      return true;
    case FieldKind::text:
    case FieldKind::object:
    case FieldKind::object_or_file:
    case FieldKind::list:
    case FieldKind::named_texts:
    case FieldKind::other:
      return false;
  }
  return false;
}

void add(const FieldDescription& object, const std::string& prefix,
         std::vector<FieldOffer>& offers) {
  for (const FieldDescription& field : object.fields) {
    const std::string path = prefix + field.key;
    if (can_vary(field.kind))
      offers.push_back({path, field.meaning, kind_text(field), field.usual,
                        field.kind == FieldKind::truth ? std::vector<std::string>{"false", "true"}
                                                       : field.words});
    if (field.kind == FieldKind::object || field.kind == FieldKind::object_or_file)
      add(field, path + ".", offers);
  }
}

}  // namespace

std::vector<FieldOffer> field_offers() {
  std::vector<FieldOffer> offers;
  add(plan_fields(), "", offers);
  // Layers are named by themselves, what else a plan has behind "plan.".
  for (FieldOffer& offer : offers)
    if (!asked_field(offer.path + "=1")) offer.path = "plan." + offer.path;
  add(topology_fields(), "topology.", offers);
  return offers;
}

}  // namespace quintet::gui
