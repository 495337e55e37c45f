#include "sim/json/field_list.h"

#include <fmt/format.h>

#include <algorithm>

namespace quintet {

void FieldReader::read(Need need, std::string_view key, bool& value) {
  value = need == Need::required ? json_.boolean(key) : json_.boolean_or(key, value);
}

void FieldReader::read(Need need, std::string_view key, std::string& value) {
  value = need == Need::required ? json_.text(key) : json_.text_or(key, value);
}

void FieldReader::read(Need need, std::string_view key, double& value) {
  value = need == Need::required ? json_.number(key) : json_.number_or(key, value);
}

void FieldReader::read(Need need, std::string_view key, double& value, Between<double> range) {
  read(need, key, value);
  const auto digits = [](double number) { return dumped(number); };
  if (value < range.least || value > range.most)
    json_.fail(key, "expected a number from " + digits(range.least) + " to " + digits(range.most) +
                        ", found " + digits(value));
}

void FieldReader::read(Need need, std::string_view key, int& value, Between<int> range) {
  value = need == Need::required ? json_.integer(key, range.least, range.most)
                                 : json_.integer_or(key, value, range.least, range.most);
}

void FieldReader::read(Need need, std::string_view key, std::int64_t& value, Between<int> range) {
  int number = static_cast<int>(value);
  read(need, key, number, range);
  value = number;
}

void FieldReader::read(Need need, std::string_view key, Bytes& value) {
  value = need == Need::required ? json_.bytes(key) : json_.bytes_or(key, value);
}

void FieldReader::read(Need need, std::string_view key, Seconds& value) {
  value = need == Need::required ? json_.seconds(key) : json_.seconds_or(key, value);
}

void FieldReader::read(Need need, std::string_view key, Bandwidth& value) {
  value = need == Need::required ? json_.bandwidth(key) : json_.bandwidth_or(key, value);
}

// None of its users may leave it out.
void FieldReader::read(Need, std::string_view key, FlopRate& value) {
  value = json_.flop_rate(key);
}

void FieldReader::read(Need need, std::string_view key, DataType& value) {
  value = need == Need::required ? json_.data_type(key) : json_.data_type_or(key, value);
}

void FieldReader::read(Need, std::string_view key, std::vector<int>& value, Between<int> range) {
  value = json_.integers_or(key, value, range.least, range.most);
}

void FieldReader::read(Need need, std::string_view key, std::vector<double>& values) {
  const nlohmann::json* const list = json_.raw(key);
  if (list == nullptr && need == Need::optional) return;
  const bool numbers = list != nullptr && list->is_array() &&
                       std::all_of(list->begin(), list->end(),
                                   [](const nlohmann::json& each) { return each.is_number(); });
  if (numbers)
    values = list->get<std::vector<double>>();
  else
    json_.fail(key, "expected an array of numbers");
}

void FieldReader::read(Need, std::string_view key, std::uint64_t& value) {
  const nlohmann::json* const found = json_.raw(key);
  if (found == nullptr) return;
  if (found->is_number_unsigned())
    value = found->get<std::uint64_t>();
  else
    json_.fail(key, "expected a whole number, 0 or more and below 2^64");
}

std::optional<std::size_t> FieldReader::word(Need need, std::string_view key,
                                             const std::vector<std::string>& accepted) {
  return json_.word(key, {accepted.begin(), accepted.end()}, need);
}

std::optional<std::vector<std::size_t>> FieldReader::words(std::string_view key,
                                                           const std::vector<std::string>& accepted,
                                                           const char* what) {
  const nlohmann::json* const list = json_.raw(key);
  if (list == nullptr) return std::nullopt;
  if (!list->is_array())
    return json_.fail(key, std::string("expected an array of ") + what), std::nullopt;
  std::vector<std::size_t> numbers;
  for (const nlohmann::json& each : *list) {
    const auto found = std::find_if(accepted.begin(), accepted.end(), [&](const std::string& word) {
      return each.is_string() && each.get_ref<const std::string&>() == word;
    });
    if (found == accepted.end())
      return json_.fail(fmt::format("{}[{}]", key, numbers.size()),
                        "expected one of " + joined({accepted.begin(), accepted.end()})),
             std::nullopt;
    numbers.push_back(static_cast<std::size_t>(found - accepted.begin()));
  }
  return numbers;
}

}  // namespace quintet
