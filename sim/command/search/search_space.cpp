#include "sim/command/search/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "sim/base/nearest_word.h"
#include "sim/base/shown_text.h"
#include "sim/base/text_file.h"
#include "sim/base/text_table.h"
#include "sim/plan/asked_plan.h"
#include "sim/plan/plan_file.h"
#include "sim/usage/complain.h"
#include "sim/usage/shipped.h"

namespace quintet {
namespace {

constexpr std::int64_t longest_range = 100'000;
constexpr const char* free_word = "free";

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view layer_of(std::string_view path) {
  return path.substr(0, path.find('.'));
}

// A field by its whole path, or by the rest of it where only one layer has such a field.
const SearchField* named_field(std::string_view given) {
  if (const SearchField* const field = search_field(given)) return field;
  const SearchField* found = nullptr;
  for (const SearchField& field : search_fields())
    if (field.path.substr(layer_of(field.path).size() + 1) == given) {
      if (found != nullptr) return nullptr;
      found = &field;
    }
  return found;
}

Error no_field(const std::string& asked, std::string_view path) {
  std::vector<std::string_view> paths;
  for (const SearchField& field : search_fields()) paths.push_back(field.path);
  std::string text = fmt::format("{} is no field that a search can vary", in_quotes(path));
  if (const auto near = nearest(path, paths)) text += "; did you mean " + in_quotes(*near) + "?";
  return {asked, text +
                     "; quintet search --list-fields lists them, and --set gives any other field "
                     "one value"};
}

std::optional<Error> add_free(const std::string& asked, const SearchField& field,
                              SearchSettings& to) {
  if (field.free_values == nullptr)
    return Error{asked, fmt::format("{} has no values that are sensible for all: list them, as in "
                                    "--set {}=A,B",
                                    field.path, field.path)};
  if (std::find(to.free.begin(), to.free.end(), &field) == to.free.end()) to.free.push_back(&field);
  return std::nullopt;
}

// All of a layer that has sensible values, or one field.
std::optional<Error> add_freed(const std::string& given, SearchSettings& to) {
  std::string word = given;
  std::replace(word.begin(), word.end(), '-', '_');
  bool is_layer = false;
  for (const SearchField& field : search_fields())
    if (word == "all" || layer_of(field.path) == word) {
      is_layer = true;
      if (field.free_values != nullptr) add_free("--free " + given, field, to);
    }
  if (is_layer) return std::nullopt;
  const SearchField* const field = named_field(word);
  return field == nullptr ? no_field("--free " + shown(given, 80), word)
                          : add_free("--free " + given, *field, to);
}

bool mentions(const AskedFields& asked, std::string_view path) {
  return std::any_of(asked.begin(), asked.end(),
                     [&](const AskedField& field) { return field.path == path; });
}

std::optional<Error> twice(const AskedFields& asked) {
  for (std::size_t i = 0; i < asked.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (asked[i].file == asked[j].file && asked[i].path == asked[j].path)
        return Error{
            asked[i].option + asked[i].values.front(),
            asked[j].option + asked[j].values.front() + " says the same field; give one of them"};
  return std::nullopt;
}

Result<AskedFields> all_asked(const SearchArguments& arguments) {
  Result<AskedFields> all = asked_fields(arguments.flags);
  if (!all) return all;
  Result<AskedFields> fixed = asked_fields(arguments.fix);
  if (!fixed) return fixed.error();
  for (AskedField& field : *fixed) {
    field.option.replace(0, field.option.find(' '), "--fix");
    if (field.values.size() > 1)
      return Error{field.option + field.values.front(),
                   "has several values; fix one, or use --set"};
    all->push_back(std::move(field));
  }
  for (AskedField& field : *all) {
    Result<std::vector<std::string>> values = with_ranges(field.values, field.option);
    if (!values) return values.error();
    field.values = std::move(*values);
  }
  if (const auto error = twice(*all)) return *error;
  return all;
}

std::optional<Error> sort_in(AskedField field, SearchSettings& to) {
  switch (field.file) {
    case AskedFile::topology:
    case AskedFile::costs:
      to.machine.push_back(std::move(field));
      return std::nullopt;
    case AskedFile::prices:
      to.prices.push_back(std::move(field));
      return std::nullopt;
    case AskedFile::plan:
      break;
  }
  const SearchField* const searched = search_field(field.path);
  const std::string asked = field.option + field.values.front();
  if (field.values == std::vector<std::string>{free_word})
    return searched == nullptr ? no_field(asked, field.path) : add_free(asked, *searched, to);
  if (searched == nullptr && field.values.size() > 1) return no_field(asked, field.path);
  to.plan.push_back(std::move(field));
  return std::nullopt;
}

// The plan's file, or what stands for it until the sequence length is known.
Result<PlanBase> base_of(const SearchArguments& arguments) {
  if (arguments.inputs.plans.empty())
    return PlanBase{"{\"parallelism\": {\"sequence_length\": 1}}", "the plan asked for", true};
  const Result<std::filesystem::path> file =
      find_file(FileKind::plan, arguments.inputs.plans.front());
  if (!file) return file.error();
  Result<std::string> text = read_text_file(*file);
  if (!text) return text.error();
  return PlanBase{std::move(*text), file->string(), true, file->parent_path()};
}

Result<Plan> base_plan(const SearchArguments& arguments, const SearchSettings& settings) {
  const Result<PlanBase> base = base_of(arguments);
  if (!base) return base.error();
  FieldChanges changes;
  for (const AskedField& field : settings.plan)
    if (search_field(field.path) == nullptr)
      changes.push_back({field.path, field.values.front(), field.option + field.values.front()});
  return asked_plan(*base, changes, 0);
}

std::optional<Error> missing(const SearchArguments& arguments, const SearchSettings& settings) {
  const bool counts = mentions(settings.plan, "parallelism.micro_batches");
  const bool batch = mentions(settings.plan, "parallelism.global_batch");
  if (counts && batch)
    return Error{"--micro-batches", "says how long a step is, as --global-batch does; give one"};
  if (!arguments.inputs.plans.empty()) return std::nullopt;
  if (!mentions(settings.plan, "parallelism.sequence_length"))
    return Error{"--sequence", "is missing: how many tokens a sequence has"};
  if (!counts && !batch)
    return Error{"--global-batch", "is missing: how many sequences a step trains"};
  return std::nullopt;
}

}  // namespace

Result<std::vector<std::string>> with_ranges(const std::vector<std::string>& values,
                                             const std::string& asked) {
  std::vector<std::string> all;
  for (const std::string& value : values) {
    const std::size_t dots = value.find("..");
    const auto first = whole(std::string_view(value).substr(0, std::min(dots, value.size())));
    if (dots == std::string::npos || !first) {
      all.push_back(value);
      continue;
    }
    const auto last = whole(std::string_view(value).substr(dots + 2));
    if (!last || *last < *first || *last - *first >= longest_range)
      return Error{asked + shown(value, 80),
                   fmt::format("expected a range such as 1..8, of at most {} numbers, the least "
                               "first",
                               longest_range)};
    for (std::int64_t number = *first; number <= *last; ++number)
      all.push_back(std::to_string(number));
  }
  return all;
}

Result<SearchSettings> search_settings(const SearchArguments& arguments) {
  SearchSettings settings;
  settings.all_said = !arguments.inputs.plans.empty();
  Result<AskedFields> all = all_asked(arguments);
  if (!all) return all.error();
  for (AskedField& field : *all)
    if (const auto error = sort_in(std::move(field), settings)) return *error;
  for (const std::string& given : arguments.free)
    if (const auto error = add_freed(given, settings)) return *error;
  std::erase_if(settings.free, [&](const SearchField* field) {
    return mentions(settings.plan, field->path);  // what is said is no longer free
  });
  for (const SearchField& field : search_fields())
    if (field.usually_free && !settings.all_said && !mentions(settings.plan, field.path))
      add_free("", field, settings);
  if (!arguments.fields)
    if (const auto error = missing(arguments, settings)) return *error;
  return settings;
}

int asked_global_batch(const SearchArguments& arguments, const SearchSettings& settings) {
  for (const AskedField& field : settings.plan)
    if (field.path == "parallelism.global_batch")
      return field.values.size() == 1 ? static_cast<int>(whole(field.values.front()).value_or(0))
                                      : 0;
  if (arguments.inputs.plans.empty() || mentions(settings.plan, "parallelism.micro_batches"))
    return 0;
  const Result<Plan> plan = base_plan(arguments, settings);
  return plan ? global_batch(plan->parallelism) : 0;
}

Result<Space> search_space(const SearchArguments& arguments, const SearchSettings& settings,
                           const FreeContext& context) {
  Result<Plan> plan = base_plan(arguments, settings);
  if (!plan) return plan.error();
  Space space;
  space.base.plan = std::move(*plan);
  space.base.global_batch = context.global_batch;
  for (const SearchField& field : search_fields()) {
    std::optional<Result<Dimension>> dimension;
    for (const AskedField& asked : settings.plan)
      if (asked.path == field.path) dimension = dimension_of(field, asked.values, asked.option);
    if (std::find(settings.free.begin(), settings.free.end(), &field) != settings.free.end())
      dimension = dimension_of(field, field.free_values(context), std::string(field.path) + "=");
    if (!dimension) continue;
    if (!*dimension) return dimension->error();
    space.dimensions.push_back(std::move(**dimension));
  }
  return space;
}

std::string search_fields_text(const FreeContext& context) {
  std::vector<TextRow> rows{{"field", "of a search without a plan", "values when free"}};
  for (const SearchField& field : search_fields())
    rows.push_back(
        {std::string(field.path), field.usually_free ? "free" : "fixed",
         field.free_values == nullptr ? "(list them)" : joined(field.free_values(context))});
  return aligned(rows);
}

}  // namespace quintet
