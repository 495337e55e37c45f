#include "sim/plan/asked_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "sim/base/text_file.h"
#include "sim/json/json_fields.h"
#include "sim/plan/plan_file.h"

namespace quintet {
namespace {

using Json = nlohmann::json;

constexpr std::array other_degrees{"tensor", "context", "expert", "pipeline"};

std::string path_of(std::string_view field) {
  return "parallelism." + std::string(field);
}

const FieldChange* change_of(const FieldChanges& changes, std::string_view field) {
  for (const FieldChange& change : changes)
    if (change.path == path_of(field)) return &change;
  return nullptr;
}

const FieldChange* change_of_other_degrees(const FieldChanges& changes) {
  for (const char* const degree : other_degrees)
    if (const FieldChange* const change = change_of(changes, degree)) return change;
  return nullptr;
}

// A count that is there and could be one; the plan's reader complains of others.
std::optional<std::int64_t> count_in(const Json& parallelism, const char* field) {
  const auto found = parallelism.find(field);
  if (found == parallelism.end()) return std::nullopt;
  if (!found->is_number_integer()) return std::nullopt;
  const auto count = found->get<std::int64_t>();
  return count >= 1 && count <= (1 << 30) ? std::optional(count) : std::nullopt;
}

std::int64_t count_or_one(const Json& parallelism, const char* field) {
  return count_in(parallelism, field).value_or(1);
}

// Sequences of a step; none where the file does not say.
std::optional<std::int64_t> sequences_in(const Json& parallelism) {
  if (const auto batch = count_in(parallelism, "global_batch")) return batch;
  return count_or_one(parallelism, "micro_batch") * count_or_one(parallelism, "micro_batches") *
         count_or_one(parallelism, "data");
}

std::optional<Error> fill_data(Json& parallelism, const FieldChanges& changes, int ranks) {
  std::int64_t others = 1;
  std::string product;
  for (const char* const degree : other_degrees) {
    others = std::min<std::int64_t>(others * count_or_one(parallelism, degree), 1 << 30);
    if (count_or_one(parallelism, degree) > 1)
      product += fmt::format("{}{} {}", product.empty() ? "" : " x ", degree,
                             count_or_one(parallelism, degree));
  }
  if (ranks % others != 0) {
    const FieldChange* const change = change_of_other_degrees(changes);
    return Error{change == nullptr ? path_of("data") : change->asked,
                 fmt::format("{} = {} does not divide the {} places of the machine", product,
                             others, ranks)};
  }
  parallelism["data"] = ranks / others;
  return std::nullopt;
}

// What the file has of a step's length gives way to what was asked for.
void settle_batch(Json& parallelism, const FieldChanges& changes,
                  std::optional<std::int64_t> sequences) {
  const bool asked_count = change_of(changes, "micro_batches") != nullptr;
  const bool asked_batch = change_of(changes, "global_batch") != nullptr;
  if (asked_batch && !asked_count) parallelism.erase("micro_batches");
  if (asked_count && !asked_batch) parallelism.erase("global_batch");
  if (asked_batch || asked_count || !sequences) return;
  parallelism.erase("micro_batches");
  parallelism["global_batch"] = *sequences;
}

std::optional<Error> settle(Json& tree, const Json& before, const PlanBase& base,
                            const FieldChanges& changes, int ranks) {
  const auto found = tree.find("parallelism");
  if (found == tree.end() || !found->is_object()) return std::nullopt;
  Json& parallelism = *found;
  const auto old = before.find("parallelism");
  const Json empty = Json::object();
  const Json& was = old != before.end() && old->is_object() ? *old : empty;
  const bool open = ranks > 0 && change_of(changes, "data") == nullptr &&
                    (change_of_other_degrees(changes) != nullptr || !base.is_file);
  if (open && (base.is_file || !parallelism.contains("data")))
    if (auto error = fill_data(parallelism, changes, ranks)) return error;
  const bool dealt_otherwise =
      count_or_one(parallelism, "data") != count_or_one(was, "data") ||
      count_or_one(parallelism, "micro_batch") != count_or_one(was, "micro_batch");
  settle_batch(parallelism, changes,
               base.is_file && dealt_otherwise ? sequences_in(was) : std::nullopt);
  return std::nullopt;
}

}  // namespace

Result<Plan> asked_plan(const PlanBase& base, const FieldChanges& changes, int ranks) {
  if (changes.empty()) return parse_plan(base.text, base.where);
  const Result<Json> before = parse_json(base.text, base.where);
  if (!before) return before.error();
  const Result<std::string> text = changed_text(base.text, base.where, changes);
  if (!text) return text.error();
  Result<Json> tree = parse_json(*text, base.where);
  if (!tree) return tree.error();
  if (const auto error = settle(*tree, *before, base, changes, ranks)) return *error;
  Result<Plan> plan = parse_plan(dumped(*tree), base.where);
  if (!plan) return blamed(plan.error(), changes);
  return plan;
}

Result<Plan> read_asked_plan(const std::filesystem::path& file, const FieldChanges& changes,
                             int ranks) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  return asked_plan({*text, file.string(), true}, changes, ranks);
}

std::string layout_name(const Parallelism& parallelism) {
  constexpr std::array degrees{std::pair{Axis::tensor, "tp"}, std::pair{Axis::context, "cp"},
                               std::pair{Axis::expert, "ep"}, std::pair{Axis::pipeline, "pp"},
                               std::pair{Axis::data, "dp"}};
  std::string name;
  for (const auto& [axis, word] : degrees)
    if (degree(parallelism, axis) > 1 || axis == Axis::data)
      name += fmt::format("{}{}{}", name.empty() ? "" : "-", word, degree(parallelism, axis));
  return name;
}

}  // namespace quintet
