#include "sim/command/help/man_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace quintet {
namespace {

// Text that man(7) shows as it stands: a hyphen that can be copied, no request at a line's begin.
std::string plain(const std::string& text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == '\n';
    if (begins && (text[i] == '.' || text[i] == '\'')) shown += "\\&";
    if (text[i] == '\\')
      shown += "\\e";
    else if (text[i] == '-')
      shown += "\\-";
    else
      shown += text[i];
  }
  return shown;
}

std::string title(const std::string& name, const PageFacts& facts) {
  std::string capitals = name;
  std::transform(capitals.begin(), capitals.end(), capitals.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return fmt::format(".TH {} 1 {} \"quintet {}\" \"Quintet\"\n", plain(capitals), facts.date,
                     facts.version);
}

std::string name_section(const std::string& name, const std::string& does) {
  return fmt::format(".SH NAME\n{} \\- {}\n", plain(name), plain(does));
}

// "[--json]", "--model FILE", "[PLAN ...]"
std::string in_synopsis(const OptionDescription& option) {
  std::string text = option.by_place() ? "" : "\\fB" + plain(option.names.back()) + "\\fR";
  if (option.by_place() || !option.value.empty())
    text += std::string(text.empty() ? "" : " ") + "\\fI" + plain(option.value) + "\\fR";
  if (option.several && option.by_place()) text += " ...";
  return option.required ? text : "[" + text + "]";
}

std::string synopsis(const VerbDescription& verb) {
  std::string text = ".SH SYNOPSIS\n.nh\n\\fBquintet " + plain(verb.name) + "\\fR";
  bool others = false;
  for (const OptionDescription& option : verb.options)
    if (option.by_place() || option.required)
      text += "\n" + in_synopsis(option);
    else
      others = true;
  return text + (others ? "\n[\\fIoptions\\fR]" : "") + "\n.hy\n";
}

std::string heading(const OptionDescription& option) {
  if (option.by_place()) return "\\fI" + plain(option.value) + "\\fR";
  std::string text;
  for (const std::string& name : option.names)
    text += (text.empty() ? "\\fB" : ", \\fB") + plain(name) + "\\fR";
  return option.value.empty() ? text : text + " \\fI" + plain(option.value) + "\\fR";
}

std::string words_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string option_text(const OptionDescription& option) {
  std::string text = ".TP\n" + heading(option) + "\n" + plain(option.does) + ".";
  if (!option.words.empty()) text += "\nOne of " + plain(words_text(option.words)) + ".";
  if (!option.accepts.empty()) text += "\nAccepts " + plain(option.accepts) + ".";
  if (!option.usual.empty()) text += "\nDefault: " + plain(option.usual) + ".";
  if (option.required) text += "\nRequired.";
  return text + "\n";
}

// A footer is examples, then "Exit: ...": lines that begin with two blanks are typed.
std::string footer_sections(const std::string& footer) {
  std::string text;
  std::istringstream lines(footer);
  bool typed = false;
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.starts_with("  ");
    if (typed && !indented) text += ".EE\n.RE\n";
    if (!typed && indented) text += ".RS 4\n.EX\n";
    typed = indented;
    if (indented)
      text += plain(line.substr(2)) + "\n";
    else if (line.starts_with("Example"))
      text += ".SH EXAMPLES\n";
    else if (line.starts_with("Exit: "))
      text += ".SH EXIT STATUS\n" + plain(line.substr(6)) + "\n";
    else if (!line.empty())
      text += plain(line) + "\n";
  }
  return text + (typed ? ".EE\n.RE\n" : "");
}

std::string see_also(const std::vector<std::string>& pages) {
  std::string text = ".SH SEE ALSO\n";
  for (std::size_t i = 0; i < pages.size(); ++i)
    text += fmt::format(".BR {} (1){}\n", plain(pages[i]), i + 1 < pages.size() ? "," : "");
  return text;
}

}  // namespace

std::string man_page(const VerbDescription& verb, const PageFacts& facts) {
  const std::string name = "quintet-" + verb.name;
  std::string text = title(name, facts) + name_section(name, verb.does) + synopsis(verb);
  text += ".SH OPTIONS\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrint this and stop.\n";
  for (const OptionDescription& option : verb.options) text += option_text(option);
  return text + footer_sections(verb.footer) + see_also({"quintet"});
}

std::string man_page(const CommandLine& program, const std::vector<VerbDescription>& verbs,
                     const PageFacts& facts) {
  std::string text = title("quintet", facts) +
                     name_section("quintet", "predict distributed training steps and execute them");
  text += ".SH SYNOPSIS\n\\fBquintet\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n";
  text += ".SH DESCRIPTION\n" + plain(program.does) + "\n.SH COMMANDS\n";
  std::vector<std::string> pages;
  for (const VerbDescription& verb : verbs) {
    text += ".TP\n\\fB" + plain(verb.name) + "\\fR\n" + plain(verb.does) + ".\n";
    pages.push_back("quintet-" + verb.name);
  }
  text +=
      ".SH ENVIRONMENT\n.TP\n\\fBQUINTET_DATA\\fR\nThe folder of the shipped models, machines, "
      "plans and costs, in the place of the one that was installed.\n";
  return text + footer_sections(program.footer) + see_also(pages);
}

}  // namespace quintet
