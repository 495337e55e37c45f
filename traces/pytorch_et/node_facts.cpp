#include "traces/pytorch_et/node_facts.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "traces/json_stream/array_elements.h"
#include "traces/json_stream/decimal_numbers.h"
#include "traces/trace/communication_names.h"

namespace quintet::pytorch_et {
namespace {

using json_stream::array_elements;
using json_stream::without_quotes;

constexpr std::int64_t most_ranks = std::int64_t{1} << 20;  // a damaged file may claim any number

std::int64_t number(std::string_view text) {
  return json_stream::integer_of(text).value_or(-1);
}

bool is_tensor(std::string_view type) {
  return type.starts_with("Tensor(");
}

bool is_list_of_tensors(std::string_view type) {
  return type.starts_with("GenericList[Tensor(");
}

std::string_view plain_type(std::string_view type) {
  if (is_tensor(type) && type.ends_with(')')) return type.substr(7, type.size() - 8);
  if (is_list_of_tensors(type)) return "TensorList";
  if (type == "Int" || type == "Double" || type == "Bool" || type == "SymInt") return "Scalar";
  return {};
}

// "Tensor(float)", or the first of "GenericList[Tensor(float),Tensor(float)]": "float".
std::string_view element_name(std::string_view type) {
  const std::size_t begin = type.find("Tensor(");
  if (begin == std::string_view::npos) return {};
  const std::size_t end = type.find(')', begin);
  return end == std::string_view::npos ? std::string_view{}
                                       : type.substr(begin + 7, end - begin - 7);
}

struct Tensors {
  std::int64_t elements = 0;
  std::int64_t element_bytes = 0;
  bool any = false;
};

// [tensor_id, storage_id, offset, num_elem, elem_bytes, device], or a list of such.
void add_tensors(Tensors& tensors, std::string_view value, int depth = 0) {
  const auto parts = array_elements(value);
  if (!parts.empty() && parts.front().starts_with('[')) {
    if (depth < 4)
      for (const std::string_view part : parts) add_tensors(tensors, part, depth + 1);
    return;
  }
  if (parts.size() < 6) return;
  const std::int64_t elements = number(parts[3]);
  if (elements < 0 || elements > (std::int64_t{1} << 50)) return;
  tensors.elements += elements;
  tensors.element_bytes = number(parts[4]);
  tensors.any = true;
}

Tensors tensors_of(std::string_view values) {
  Tensors tensors;
  const auto parts = array_elements(values);
  if (!parts.empty()) add_tensors(tensors, parts.front());
  return tensors;
}

// Inputs of record_param_comms stand in order: [tensors,] number, group, rank, name, ... The name
// of the collective is the first string among them.
struct Arguments {
  std::string_view collective, group_name, group_description;
  std::int64_t sequence = -1, rank = -1, start = -1, stride = -1, size = -1;
  bool has_group = false;  // by name: schema 1.0.1 has an address
};

Arguments arguments_of(std::string_view inputs) {
  Arguments found;
  const auto values = array_elements(inputs);
  const auto name = std::find_if(values.begin(), values.end(), [](std::string_view value) {
    return value.size() > 2 && value.front() == '"';
  });
  if (name == values.end() || name - values.begin() < 3) return found;
  found.collective = without_quotes(*name);
  found.rank = number(name[-1]);
  found.sequence = number(name[-3]);
  if (const auto group = array_elements(name[-2]); group.size() == 2) {
    found.has_group = true;
    found.group_name = without_quotes(group[0]);
    found.group_description = without_quotes(group[1]);
  }
  if (values.end() - name > 5) {
    found.start = number(name[3]);
    found.stride = number(name[4]);
    found.size = number(name[5]);
  }
  return found;
}

// Ranks that are evenly far apart; otherwise empty.
std::vector<int> even_ranks(std::int64_t start, std::int64_t stride, std::int64_t size) {
  if (start < 0 || size < 1 || size > most_ranks || (size > 1 && stride < 1)) return {};
  std::int64_t last = 0;
  if (__builtin_mul_overflow(stride, size, &last) || __builtin_add_overflow(last, start, &last) ||
      last > std::numeric_limits<int>::max())
    return {};
  std::vector<int> ranks;
  for (std::int64_t i = 0; i < size; ++i) ranks.push_back(static_cast<int>(start + i * stride));
  return ranks;
}

std::int64_t first_known(std::int64_t one, std::int64_t other) {
  return one >= 0 ? one : other;
}

ProcessGroup group_of(const NodeFields& fields, const Arguments& arguments) {
  const std::int64_t start = first_known(number(fields[NodeField::rank_start]), arguments.start);
  const std::int64_t stride = first_known(number(fields[NodeField::rank_stride]), arguments.stride);
  const std::int64_t size = first_known(number(fields[NodeField::group_size]), arguments.size);
  const bool in_attributes = fields.has(NodeField::group_name);
  return {.name = std::string(in_attributes ? fields[NodeField::group_name] : arguments.group_name),
          .description = std::string(in_attributes ? fields[NodeField::group_description]
                                                   : arguments.group_description),
          .ranks = even_ranks(start, stride, size),
          .size = size > 0 && size <= most_ranks ? static_cast<int>(size) : 0};
}

void tell_size(RecordedCommunication& facts, const NodeFields& fields, int ranks) {
  const Tensors in = tensors_of(fields[NodeField::inputs]);
  const Tensors out = tensors_of(fields[NodeField::outputs]);
  facts.elements_in = number(fields[NodeField::elements_in]);
  facts.elements_out = number(fields[NodeField::elements_out]);
  if (facts.elements_in < 0 && in.any) facts.elements_in = in.elements;
  if (facts.elements_out < 0 && out.any) facts.elements_out = out.elements;
  auto type = pytorch::element_type_named(fields[NodeField::data_type]);
  if (!type) type = pytorch::element_type_named(element_name(fields[NodeField::types]));
  if (type && type->type) {
    facts.type = *type->type;
    facts.type_known = true;
  }
  const std::int64_t bytes = type ? type->bytes : in.any ? in.element_bytes : out.element_bytes;
  const std::int64_t elements =
      pytorch::full_buffer(facts.kind, facts.elements_in, facts.elements_out, ranks);
  if (elements >= 0 && bytes > 0)
    facts.size = Bytes{static_cast<double>(elements) * static_cast<double>(bytes)};
}

// With a space behind each comma, as the profiler writes: "[256,256]" -> "[256, 256]".
void add_spaced(std::string& text, std::string_view list) {
  for (const char character : list) {
    if (character == ' ') continue;
    text += character;
    if (character == ',') text += ' ';
  }
}

}  // namespace

InputForms input_forms(std::string_view shapes, std::string_view types) {
  const auto all_shapes = array_elements(shapes), all_types = array_elements(types);
  InputForms forms{"[", "["};
  for (std::size_t i = 0; i < all_types.size(); ++i) {
    const std::string_view type = without_quotes(all_types[i]);
    const bool has_shape = i < all_shapes.size() && (is_tensor(type) || is_list_of_tensors(type));
    if (i > 0) forms.shapes += ", ", forms.types += ", ";
    if (has_shape)
      add_spaced(forms.shapes, all_shapes[i]);
    else
      forms.shapes += "[]";
    forms.types += plain_type(type);
  }
  forms.shapes += ']';
  forms.types += ']';
  return forms;
}

std::optional<RecordedCommunication> communication_of(const NodeFields& fields,
                                                      pytorch::GroupTable& groups) {
  const Arguments arguments = arguments_of(fields[NodeField::inputs]);
  const std::string_view named =
      fields.has(NodeField::collective) ? fields[NodeField::collective] : arguments.collective;
  const auto kind = pytorch::communication_named(named);
  if (!kind) return std::nullopt;
  RecordedCommunication facts{.kind = *kind, .sequence = arguments.sequence};
  ProcessGroup group = group_of(fields, arguments);
  const int size = group.size;
  facts.group = groups.tell(std::move(group));
  const bool has_ranks = facts.group >= 0 && !groups[facts.group].ranks.empty();
  const bool is_message = *kind == CommunicationKind::send || *kind == CommunicationKind::receive;
  // A message's "rank" is the peer's number in the group.
  if (is_message && has_ranks && arguments.rank >= 0 &&
      arguments.rank < static_cast<std::int64_t>(groups[facts.group].ranks.size()))
    facts.peer = groups[facts.group].ranks[static_cast<std::size_t>(arguments.rank)];
  tell_size(facts, fields, size);
  return facts;
}

}  // namespace quintet::pytorch_et
