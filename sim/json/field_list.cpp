#include "sim/json/field_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/usual_words.h"

namespace quintet {

void FieldReader::read(Need need, const FieldKey& key, bool& value) {
  value = need == Need::required ? json_.boolean(key) : json_.boolean_or(key, value);
}

void FieldReader::read(Need need, const FieldKey& key, std::string& value) {
  value = need == Need::required ? json_.text(key) : json_.text_or(key, value);
}

void FieldReader::read(Need need, const FieldKey& key, double& value) {
  value = need == Need::required ? json_.number(key) : json_.number_or(key, value);
}

void FieldReader::read(Need need, const FieldKey& key, double& value, Between<double> range) {
  const std::string expected =
      fmt::format("expected a number from {} to {}, found ", range.least, range.most);
  const nlohmann::json* const given = json_.recording() ? nullptr : json_.raw(key);
  if (given != nullptr && !given->is_number()) return json_.fail(key, expected + described(*given));
  read(need, key, value);
  if (RecordedField* const field = json_.record(key, FieldKind::number)) {
    field->is.least = range.least;
    field->is.most = range.most;
    return;
  }
  if (value < range.least || value > range.most)
    json_.fail(key, expected + fmt::format("{}", value));
}

void FieldReader::read(Need need, const FieldKey& key, int& value, Between<int> range) {
  value = need == Need::required ? json_.integer(key, range.least, range.most)
                                 : json_.integer_or(key, value, range.least, range.most);
}

void FieldReader::read(Need need, const FieldKey& key, std::int64_t& value, Between<int> range) {
  int number = static_cast<int>(value);
  read(need, key, number, range);
  value = number;
}

void FieldReader::read(Need need, const FieldKey& key, Bytes& value) {
  value = need == Need::required ? json_.bytes(key) : json_.bytes_or(key, value);
}

void FieldReader::read(Need need, const FieldKey& key, Seconds& value) {
  value = need == Need::required ? json_.seconds(key) : json_.seconds_or(key, value);
}

void FieldReader::read(Need need, const FieldKey& key, Bandwidth& value) {
  value = need == Need::required ? json_.bandwidth(key) : json_.bandwidth_or(key, value);
}

// None of its users may leave it out.
void FieldReader::read(Need, const FieldKey& key, FlopRate& value) {
  value = json_.flop_rate(key);
}

void FieldReader::read(Need need, const FieldKey& key, DataType& value) {
  value = need == Need::required ? json_.data_type(key) : json_.data_type_or(key, value);
}

void FieldReader::read(Need, const FieldKey& key, std::vector<int>& value, Between<int> range) {
  value = json_.integers_or(key, value, range.least, range.most);
}

void FieldReader::read(Need need, const FieldKey& key, std::vector<double>& values) {
  if (RecordedField* const field = json_.record(key, FieldKind::list, need)) {
    only_entry(*field).kind = FieldKind::number;
    return;
  }
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

void FieldReader::read(Need need, const FieldKey& key, std::vector<std::string>& values) {
  if (RecordedField* const field = json_.record(key, FieldKind::list, need)) {
    only_entry(*field).kind = FieldKind::text;
    return;
  }
  const nlohmann::json* const list = json_.raw(key);
  if (list == nullptr && need == Need::optional) return;
  const bool texts = list != nullptr && list->is_array() &&
                     std::all_of(list->begin(), list->end(),
                                 [](const nlohmann::json& each) { return each.is_string(); });
  if (texts)
    values = list->get<std::vector<std::string>>();
  else
    json_.fail(key, "expected an array of texts");
}

void FieldReader::read(Need, const FieldKey& key, std::uint64_t& value) {
  if (RecordedField* const field = json_.record(key, FieldKind::whole)) {
    field->is.least = 0;
    return;
  }
  const nlohmann::json* const found = json_.raw(key);
  if (found == nullptr) return;
  if (found->is_number_unsigned())
    value = found->get<std::uint64_t>();
  else
    json_.fail(key, "expected a whole number, 0 or more and below 2^64");
}

bool FieldReader::is_number(const FieldKey& key) const {
  const nlohmann::json* const json = json_.recording() ? nullptr : json_.raw(key);
  return json != nullptr && json->is_number();
}

std::optional<std::size_t> FieldReader::word(Need need, const FieldKey& key,
                                             const std::vector<std::string>& accepted) {
  return json_.word(key, {accepted.begin(), accepted.end()}, need);
}

std::optional<std::vector<std::size_t>> FieldReader::words(const FieldKey& key,
                                                           const std::vector<std::string>& accepted,
                                                           const char* what) {
  if (RecordedField* const field = json_.record(key, FieldKind::list)) {
    FieldDescription& each = only_entry(*field);
    each.kind = FieldKind::word;
    each.words = accepted;
    return std::nullopt;
  }
  const nlohmann::json* const list = json_.raw(key);
  if (list == nullptr) return std::nullopt;
  if (!list->is_array())
    return json_.fail(key,
                      fmt::format("expected an array of {}, each one of {}, found {}", what,
                                  joined({accepted.begin(), accepted.end()}), described(*list))),
           std::nullopt;
  std::vector<std::size_t> numbers;
  for (const nlohmann::json& each : *list) {
    const std::optional<std::size_t> found =
        each.is_string()
            ? word_meant(each.get_ref<const std::string&>(), {accepted.begin(), accepted.end()})
            : std::nullopt;
    if (!found)
      return json_.fail(fmt::format("{}[{}]", key.name, numbers.size()),
                        "expected one of " + joined({accepted.begin(), accepted.end()})),
             std::nullopt;
    numbers.push_back(*found);
  }
  return numbers;
}

}  // namespace quintet
