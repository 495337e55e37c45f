#include "gui/scenario/scenario_command.h"

#include "sim/asked/settings.h"

namespace quintet::gui {

namespace {

void add(std::vector<std::string>& words, const char* option, const std::string& value) {
  if (value.empty()) return;
  words.emplace_back(option);
  words.push_back(value);
}

void add_all(std::vector<std::string>& words, const char* option,
             const std::vector<std::string>& values) {
  for (const std::string& value : values) add(words, option, value);
}

std::vector<std::string> set_texts(const Scenario& scenario) {
  std::vector<std::string> texts;
  for (const Setting& each : scenario.settings) texts.push_back(each.path + "=" + each.value);
  return texts;
}

bool is_plain(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
         std::string_view("_-./=:,+@%").find(letter) != std::string_view::npos;
}

std::string quoted(const std::string& word) {
  bool plain = !word.empty();
  for (const char letter : word) plain = plain && is_plain(letter);
  if (plain) return word;
  std::string text = "'";
  for (const char letter : word) {
    if (letter == '\'')
      text += "'\\''";
    else
      text += letter;
  }
  return text + "'";
}

}  // namespace

std::vector<std::string> command_words(const Scenario& scenario) {
  std::vector<std::string> words{"quintet", "simulate"};
  if (!scenario.plan.empty()) words.push_back(scenario.plan);
  add(words, "--model", scenario.model);
  add(words, "--topology", scenario.topology);
  add(words, "--costs", scenario.costs);
  add(words, "--stack", scenario.stack);
  if (scenario.hosts) add(words, "--hosts", std::to_string(*scenario.hosts));
  add_all(words, "--set", set_texts(scenario));
  add_all(words, "--slow", scenario.faults.slow);
  add_all(words, "--fail", scenario.faults.fail);
  add_all(words, "--delay", scenario.faults.delay);
  add_all(words, "--hold", scenario.faults.hold);
  return words;
}

std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + quoted(word);
  return text;
}

std::string command_text(const Scenario& scenario) {
  return command_text(command_words(scenario));
}

Result<InputNames> input_names(const Scenario& scenario) {
  const Result<AskedFields> fields = asked_fields(set_texts(scenario));
  if (!fields) return fields.error();
  Result<std::vector<AskedChanges>> asked = combinations(*fields);
  if (!asked) return asked.error();
  InputNames names;
  if (!scenario.plan.empty()) names.plans = {scenario.plan};
  names.model = scenario.model;
  names.topology = scenario.topology;
  names.costs = scenario.costs;
  names.stack = scenario.stack;
  names.hosts = scenario.hosts;
  names.asked = std::move(*asked);
  names.faults = scenario.faults;
  return names;
}

}  // namespace quintet::gui
