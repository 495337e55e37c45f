#include "sim/asked/swept_field.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "sim/asked/settings.h"
#include "sim/asked/swept_values.h"

namespace quintet {

namespace {

constexpr std::string_view slow_word = "slow ";

// Which field of which file a path means: two paths may mean one.
Result<std::pair<AskedFile, std::string>> meant(const std::string& path, const std::string& value) {
  const Result<AskedField> field = asked_field(path + "=" + value);
  if (!field) return field.error();
  return std::pair(field->file, field->path);
}

}  // namespace

Result<SweptField> swept_field(const std::string& name, const std::string& values) {
  Result<std::vector<std::string>> read = swept_values(values);
  if (!read) return Error{name + ": " + read.error().where, read.error().what};
  SweptField field{SweptKind::field, name == "hosts" ? "topology.hosts" : name, std::move(*read)};
  if (name.starts_with(slow_word)) {
    field.kind = SweptKind::share;
    field.name = name.substr(slow_word.size());
    return field;
  }
  for (const std::string& value : field.values)
    if (const auto wrong = meant(field.name, value); !wrong) return wrong.error();
  return field;
}

std::string name_text(const SweptField& field) {
  return (field.kind == SweptKind::share ? std::string(slow_word) : std::string()) + field.name;
}

std::string short_name(const SweptField& field) {
  if (field.kind == SweptKind::share) return "rate left of " + field.name;
  return field.name.substr(field.name.rfind('.') + 1);
}

bool is_same_field(const std::string& one, const std::string& other) {
  const auto left = meant(one, "1"), right = meant(other, "1");
  return left && right && *left == *right;
}

bool is_same(const SweptField& one, const SweptField& other) {
  if (one.kind != other.kind) return false;
  if (one.kind == SweptKind::share) return one.name == other.name;
  return is_same_field(one.name, other.name);
}

bool is_hosts(const SweptField& field) {
  return field.kind == SweptKind::field && is_same_field(field.name, "topology.hosts");
}

bool is_whole_rate(const std::string& share) {
  double number = 0.0;
  const char* const end = share.data() + share.size();
  const auto [rest, failed] = std::from_chars(share.data(), end, number);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  return failed == std::errc{} &&
         ((unit.empty() && number == 1.0) || (unit == "%" && number == 100.0));
}

}  // namespace quintet
