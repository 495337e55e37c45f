// The one file that includes CLI11: its headers take seconds to compile.
#include "sim/usage/run_verb.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <sstream>

#include "sim/base/result.h"
#include "sim/base/shown_text.h"
#include "sim/usage/complain.h"
#include "sim/usage/description.h"
#include "sim/usage/usage_text.h"

namespace quintet {
namespace {

std::string limits(double least, double most) {
  constexpr double no_limit = 1e300;
  return most < no_limit ? fmt::format("{} to {}", least, most) : fmt::format("{} or more", least);
}

template <class Limit>
CLI::Validator between(Limit least, Limit most, const std::string& in_help) {
  return {[=](const std::string& given) {
            Limit value{};
            if (CLI::detail::lexical_cast(given, value) && value >= least && value <= most)
              return std::string();
            return "expected " + limits(least, most) + ", found " + in_quotes(given);
          },
          in_help};
}

template <class Limit>
CLI::Validator between(Limit least, Limit most) {
  std::ostringstream in_help;
  in_help << CLI::detail::type_name<Limit>() << " in [" << least << " - " << most << "]";
  return between(least, most, in_help.str());
}

// A name of nothing is no name: `--trace "$FILE"` where FILE is not set.
CLI::Validator not_empty(const std::string& type) {
  return {[=](const std::string& given) {
            return given.empty() ? "expected " + type + ", found nothing" : std::string();
          },
          ""};
}

bool names_something(const Option& option) {
  return std::holds_alternative<std::string*>(option.into) ||
         std::holds_alternative<std::filesystem::path*>(option.into) ||
         std::holds_alternative<std::vector<std::string>*>(option.into);
}

void hold_to(CLI::Option& option, const Check& check) {
  std::visit(
      Match{[](Anything) {},
            [&](const WholeRange& range) { option.check(between(range.least, range.most)); },
            [&](const NumberRange& range) { option.check(between(range.least, range.most)); },
            [&](NotNegative) {
              option.check(between(0.0, std::numeric_limits<double>::max(), "NONNEGATIVE"));
            },
            [&](const OneOf& of) {
              option.check(
                  CLI::IsMember(std::vector<std::string>(of.words.begin(), of.words.end())));
            },
            [&](const Judged& by) { option.check(CLI::Validator(by.complaint, "")); }},
      check);
}

CLI::Option& added(CLI::App& app, const Option& option) {
  if (auto* const* text = std::get_if<std::string*>(&option.into); text != nullptr && option.bare)
    return *app.add_flag(option.names, **text, option.does);
  return *std::visit(
      Match{[&](bool* flag) { return app.add_flag(option.names, *flag, option.does); },
            [&](auto* value) { return app.add_option(option.names, *value, option.does); }},
      option.into);
}

void add_to(CLI::App& app, const Option& option) {
  CLI::Option& own = added(app, option);
  if (option.need == Need::required) own.required();
  if (option.need == Need::has_default) own.capture_default_str();
  if (*option.type) own.type_name(option.type);
  if (*option.excludes) own.excludes(app.get_option(option.excludes));
  if (option.values > 0) own.expected(option.values);
  if (option.one_each_time) own.allow_extra_args(false);
  if (names_something(option) && !option.bare && !std::holds_alternative<OneOf>(option.check))
    own.check(not_empty(*option.type ? option.type : "a text"));
  hold_to(own, option.check);
}

void add_to(CLI::App& app, const CommandLine& program) {
  if (*program.version) app.set_version_flag("--version", program.version);
  app.require_subcommand(1);
  app.footer(program.footer);
  for (const auto& verb : program.verbs) {
    CLI::App& own = *app.add_subcommand(verb->text.name, verb->text.does);
    for (const Option& option : verb->options) add_to(own, option);
    own.footer(verb->text.footer);
  }
  for (const VerbText& verb : program.elsewhere) app.add_subcommand(verb.name, verb.does);
}

std::vector<VerbDescription> descriptions_of(const CommandLine& program) {
  std::vector<VerbDescription> all;
  for (const auto& verb : program.verbs) all.push_back(description_of(*verb));
  return all;
}

}  // namespace

ExitCode run_verb(const CommandLine& program, const std::vector<std::string>& given) {
  if (!given.empty() && given.size() <= 2 && given.back() == describe_word) {
    std::fputs(descriptions_json(descriptions_of(program)).c_str(), stdout);
    return ExitCode::done;
  }
  CLI::App app(program.does, "quintet");
  add_to(app, program);
  try {
    app.parse(std::vector<std::string>(given.rbegin(), given.rend()));  // as CLI11 wants them
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return ExitCode::done;
  } catch (const CLI::Success& asked) {  // --version
    std::printf("%s\n", asked.what());
    return ExitCode::done;
  } catch (const CLI::ParseError& error) {
    const Error wrong{"", usage_text(program, error.what(), given)};
    if (std::find(given.begin(), given.end(), "--json") != given.end())
      std::fputs(error_json(wrong).c_str(), stdout);
    return complain(wrong);
  }
  for (const auto& verb : program.verbs)
    if (app.got_subcommand(verb->text.name)) return verb->run();
  return ExitCode::wrong_input;
}

}  // namespace quintet
