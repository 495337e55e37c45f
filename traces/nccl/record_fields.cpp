#include "traces/nccl/record_fields.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>
#include <utility>

#include "sim/base/shown_text.h"

namespace quintet {

struct RecordFields::Inside {
  simdjson::dom::parser parser;
  simdjson::dom::element record;

  std::optional<simdjson::dom::element> find(std::string_view path) const {
    simdjson::dom::element at = record;
    while (true) {
      const std::size_t dot = std::min(path.find('.'), path.size());
      simdjson::dom::element child;
      if (at[path.substr(0, dot)].get(child) != simdjson::SUCCESS) return std::nullopt;
      if (dot == path.size()) return child;
      at = child;
      path.remove_prefix(dot + 1);
    }
  }
  std::string shown_at(std::string_view path) const {
    const auto found = find(path);
    return found ? shown(simdjson::minify(*found)) : "nothing";
  }
};

RecordFields::RecordFields() : inside_(std::make_unique<Inside>()) {}
RecordFields::~RecordFields() = default;

std::optional<Error> RecordFields::parse(const std::string& text, std::string place) {
  place_ = std::move(place);
  error_.reset();
  if (const auto code = inside_->parser.parse(text).get(inside_->record))
    return Error{
        place_, fmt::format("is no JSON ({}): {}", simdjson::error_message(code), in_quotes(text))};
  if (!inside_->record.is_object())
    return Error{place_, "expected an object in {...}, found " + shown(text)};
  return std::nullopt;
}

void RecordFields::fail(std::string_view path, std::string what) {
  if (!error_) error_ = Error{fmt::format("{}: {}", place_, path), std::move(what)};
}

bool RecordFields::has(std::string_view path) const {
  return inside_->find(path).has_value();
}

std::int64_t RecordFields::integer(std::string_view path, std::int64_t least, std::int64_t most) {
  const auto value = integer_if(path);
  if (value && *value >= least && *value <= most) return *value;
  fail(path, fmt::format("expected an integer from {} to {}, found {}", least, most,
                         inside_->shown_at(path)));
  return 0;
}

double RecordFields::number(std::string_view path) {
  const auto value = number_if(path);
  if (value && std::isfinite(*value)) return *value;
  fail(path, "expected a number, found " + inside_->shown_at(path));
  return 0;
}

std::string RecordFields::text(std::string_view path) {
  const auto found = inside_->find(path);
  std::string_view text;
  if (found && found->get(text) == simdjson::SUCCESS) return std::string(text);
  fail(path, "expected text, found " + inside_->shown_at(path));
  return {};
}

std::optional<std::int64_t> RecordFields::integer_if(std::string_view path) const {
  const auto found = inside_->find(path);
  std::int64_t value = 0;
  if (!found || found->get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> RecordFields::unsigned_if(std::string_view path) const {
  const auto found = inside_->find(path);
  std::uint64_t value = 0;
  if (!found || found->get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::optional<double> RecordFields::number_if(std::string_view path) const {
  const auto found = inside_->find(path);
  double value = 0;
  if (!found || found->get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::string RecordFields::text_if(std::string_view path) const {
  const auto found = inside_->find(path);
  std::string_view text;
  if (!found || found->get(text) != simdjson::SUCCESS) return {};
  return std::string(text);
}

std::vector<std::pair<std::int64_t, std::int64_t>> RecordFields::pairs(
    std::string_view path, std::string_view first, std::string_view second) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> made;
  const auto found = inside_->find(path);
  simdjson::dom::array list;
  if (!found || found->get(list) != simdjson::SUCCESS) return made;
  for (const simdjson::dom::element each : list) {
    std::int64_t one = 0, other = 0;
    if (each[first].get(one) == simdjson::SUCCESS && each[second].get(other) == simdjson::SUCCESS)
      made.emplace_back(one, other);
  }
  return made;
}

}  // namespace quintet
