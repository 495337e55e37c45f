#include "sim/usage/description.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/json/json_fields.h"
#include "sim/json/json_value.h"

namespace quintet {
namespace {

// What stands for a value of this type where the option does not say.
std::string type_text(const Target& into) {
  return std::visit(
      Match{[](bool*) { return ""; }, [](int*) { return "N"; }, [](std::int64_t*) { return "N"; },
            [](std::uint64_t*) { return "N"; }, [](float*) { return "NUMBER"; },
            [](double*) { return "NUMBER"; }, [](std::string*) { return "TEXT"; },
            [](std::filesystem::path*) { return "FILE"; },
            [](std::vector<std::string>*) { return "TEXT"; },
            [](std::optional<int>*) { return "N"; },
            [](std::optional<double>*) { return "NUMBER"; }},
      into);
}

std::string held_text(const Target& into) {
  return std::visit(
      Match{[](bool*) { return std::string(); }, [](const std::string* text) { return *text; },
            [](const std::filesystem::path* path) { return path->string(); },
            [](const std::vector<std::string>*) { return std::string(); },
            [](const std::optional<int>* number) {
              return *number ? fmt::format("{}", **number) : std::string();
            },
            [](const std::optional<double>* number) {
              return *number ? fmt::format("{}", **number) : std::string();
            },
            [](const auto* number) { return fmt::format("{}", *number); }},
      into);
}

OptionDescription option_of(const Option& option) {
  const bool flag = std::holds_alternative<bool*>(option.into) || option.bare;
  OptionDescription is;
  is.names = names_of(option);
  is.does = option.does == nullptr ? "" : option.does;
  if (!flag) is.value = *option.type ? option.type : type_text(option.into);
  is.accepts = accepts_text(option.check);
  if (option.need == Need::has_default) is.usual = held_text(option.into);
  if (const auto* const of = std::get_if<OneOf>(&option.check))
    is.words.assign(of->words.begin(), of->words.end());
  is.required = option.need == Need::required;
  is.several = std::holds_alternative<std::vector<std::string>*>(option.into) && option.values == 0;
  return is;
}

}  // namespace

std::string accepts_text(const Check& check) {
  constexpr double no_limit = 1e300;
  return std::visit(
      Match{
          [](Anything) { return std::string(); },
          [](const WholeRange& range) { return fmt::format("{} to {}", range.least, range.most); },
          [=](const NumberRange& range) {
            return range.most < no_limit ? fmt::format("{} to {}", range.least, range.most)
                                         : fmt::format("{} or more", range.least);
          },
          [](NotNegative) { return std::string("0 or more"); },
          [](const OneOf&) { return std::string(); }, [](const Judged&) { return std::string(); }},
      check);
}

VerbDescription description_of(const Verb& verb) {
  VerbDescription is{verb.text.name, verb.text.does, verb.text.footer, {}};
  for (const Option& option : verb.options) is.options.push_back(option_of(option));
  return is;
}

std::string descriptions_json(const std::vector<VerbDescription>& verbs) {
  JsonValue all = JsonValue::array();
  for (const VerbDescription& verb : verbs) {
    JsonValue options = JsonValue::array();
    for (const OptionDescription& each : verb.options)
      options.push_back({{"names", each.names},
                         {"does", each.does},
                         {"value", each.value},
                         {"accepts", each.accepts},
                         {"usual", each.usual},
                         {"words", each.words},
                         {"required", each.required},
                         {"several", each.several}});
    all.push_back({{"name", verb.name},
                   {"does", verb.does},
                   {"footer", verb.footer},
                   {"options", std::move(options)}});
  }
  return all.dump() + "\n";
}

Result<std::vector<VerbDescription>> parse_descriptions(const std::string& json,
                                                        const std::string& where) {
  const Result<nlohmann::json> parsed = parse_json(json, where);
  if (!parsed) return parsed.error();
  try {
    std::vector<VerbDescription> verbs;
    for (const nlohmann::json& each : *parsed) {
      VerbDescription verb{each.at("name"), each.at("does"), each.at("footer"), {}};
      for (const nlohmann::json& option : each.at("options"))
        verb.options.push_back({option.at("names"), option.at("does"), option.at("value"),
                                option.at("accepts"), option.at("usual"), option.at("words"),
                                option.at("required"), option.at("several")});
      verbs.push_back(std::move(verb));
    }
    return verbs;
  } catch (const nlohmann::json::exception& wrong) {
    return Error{where, std::string("is no description of a command line: ") + wrong.what()};
  }
}

}  // namespace quintet
