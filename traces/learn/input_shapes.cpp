#include "traces/learn/input_shapes.h"

#include <charconv>

#include "traces/trace/communication_names.h"

namespace quintet {

namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 60;  // a product of extents stays whole

bool is_letter_of_number(char letter) {
  return (letter >= '0' && letter <= '9') || letter == '-';
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \"'");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \"'") + 1 - begin);
}

std::optional<DataType> type_of(std::string_view word) {
  word = trimmed(word);
  if (word.starts_with("Tensor(") && word.ends_with(')')) word = word.substr(7, word.size() - 8);
  // Numbers that are arguments have names like those of types: "Int", "Float".
  const auto known = pytorch::element_type_named(word);
  if (word.find("Float8") != std::string_view::npos) return DataType::fp8;
  return known ? known->type : std::nullopt;
}

std::optional<ProductShape> fitting(const InputShape& left, const InputShape& right,
                                    bool transposed) {
  if (left.size() < 2 || right.size() != 2) return std::nullopt;
  const std::int64_t depth = right[transposed ? 1 : 0], columns = right[transposed ? 0 : 1];
  const std::int64_t rows = rows_of(left);
  if (left.back() != depth || rows <= 0 || depth <= 0 || columns <= 0) return std::nullopt;
  return ProductShape{rows, columns, depth};
}

}  // namespace

std::vector<InputShape> shapes_of(std::string_view text) {
  std::vector<InputShape> shapes;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (letter == '[' && ++depth == 2) shapes.emplace_back();
    if (letter == ']' && --depth < 0) return {};
    if (depth != 2 || !is_letter_of_number(letter)) continue;
    std::int64_t extent = 0;
    const auto [end, failure] =
        std::from_chars(text.data() + at, text.data() + text.size(), extent);
    if (failure != std::errc{}) return {};
    shapes.back().push_back(extent);
    at = static_cast<std::size_t>(end - text.data()) - 1;
  }
  if (depth != 0) return {};
  return shapes;
}

std::vector<std::optional<DataType>> types_of(std::string_view text) {
  text = trimmed(text);
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
  text = text.substr(1, text.size() - 2);
  std::vector<std::optional<DataType>> types;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char letter = at < text.size() ? text[at] : ',';
    if (letter == '[' || letter == '(') ++depth;
    if (letter == ']' || letter == ')') --depth;
    if (letter != ',' || (depth != 0 && at < text.size())) continue;
    types.push_back(type_of(text.substr(begin, at - begin)));
    begin = at + 1;
  }
  return types;
}

std::int64_t rows_of(const InputShape& shape) {
  if (shape.empty()) return 0;
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) {
    if (shape[i] <= 0 || rows > most_elements / shape[i]) return 0;
    rows *= shape[i];
  }
  return rows;
}

std::size_t typed_input(std::string_view operation) {
  return operation == "aten::addmm" ? 1 : 0;
}

std::optional<ProductShape> product_of(std::string_view operation,
                                       std::span<const InputShape> shapes) {
  const std::size_t first = typed_input(operation);
  if (shapes.size() < first + 2) return std::nullopt;
  const InputShape &left = shapes[first], &right = shapes[first + 1];
  if (operation == "aten::linear") return fitting(left, right, true);
  if (operation == "aten::mm" || operation == "aten::addmm" || operation == "aten::matmul" ||
      operation == "aten::_scaled_mm")
    return fitting(left, right, false);
  return std::nullopt;
}

}  // namespace quintet
