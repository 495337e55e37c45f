#include "sim/json/field_description.h"

#include <cmath>

#include <fmt/format.h>

namespace quintet {
namespace {

std::string range_text(const FieldDescription& field) {
  const bool below = std::isfinite(field.most), above = std::isfinite(field.least);
  if (below && above) return fmt::format(" from {} to {}", field.least, field.most);
  if (above) return fmt::format(", {} or more", field.least);
  return below ? fmt::format(" up to {}", field.most) : "";
}

std::string words_text(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : ", ") + word;
  return line;
}

}  // namespace

const FieldDescription* field_of(const FieldDescription& object, std::string_view key) {
  for (const FieldDescription& field : object.fields)
    if (field.key == key) return &field;
  return nullptr;
}

FieldDescription& only_entry(RecordedField& list) {
  return list.fields.empty() ? list.fields.emplace_back().is : list.fields.front().is;
}

FieldDescription description_of(const RecordedField& recorded) {
  FieldDescription whole = recorded.is;
  for (const RecordedField& field : recorded.fields) {
    FieldDescription part = description_of(field);
    // A branch that does without it makes it one that may be left out.
    part.required = field.demanded > 0 && field.demanded == recorded.entered;
    whole.fields.push_back(std::move(part));
  }
  return whole;
}

std::string kind_text(const FieldDescription& field) {
  switch (field.kind) {
    case FieldKind::text:
      return "text";
    case FieldKind::truth:
      return "true or false";
    case FieldKind::whole:
      return "a whole number" + range_text(field);
    case FieldKind::number:
      return "a number" + range_text(field);
    case FieldKind::size:
      return "a size such as \"80 GiB\"";
    case FieldKind::time:
      return "a time such as \"1.2 us\"";
    case FieldKind::bandwidth:
      return "a bandwidth such as \"450 GB/s\"";
    case FieldKind::flop_rate:
      return "a rate such as \"989.4 TFLOP/s\"";
    case FieldKind::power:
      return "a power such as \"700 W\"";
    case FieldKind::price:
      return "a price such as \"2.5 $/h\"";
    case FieldKind::word:
      return "one of " + words_text(field.words);
    case FieldKind::object:
      return "an object";
    case FieldKind::object_or_file:
      return "an object, or the name of a file that holds it";
    case FieldKind::list:
      return "a list" + (field.fields.empty() ? "" : ", each " + kind_text(field.fields.front()));
    case FieldKind::named_texts:
      return "an object of texts";
    case FieldKind::other:
      return "as its meaning says";
  }
  return {};
}

}  // namespace quintet
