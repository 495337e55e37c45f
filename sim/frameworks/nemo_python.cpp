#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "sim/base/shown_text.h"
#include "sim/frameworks/nemo.h"

namespace quintet::nemo {
namespace {

struct Statement {
  std::string text;  // without comments and ends of lines
  int line = 0;
};

// Statements, a bracket's lines joined.
class StatementReader {
 public:
  StatementReader(const std::string& text, const std::string& where) : text_(text), where_(where) {}

  Result<std::vector<Statement>> read() {
    Statement current{"", 1};
    while (next_ < text_.size()) {
      const char letter = text_[next_];
      if (letter == '"' || letter == '\'') {
        if (auto error = quoted(letter, current.text)) return *error;
        continue;
      }
      ++next_;
      if (letter == '#') {
        while (next_ < text_.size() && text_[next_] != '\n') ++next_;
        continue;
      }
      if (std::string_view("([{").find(letter) != std::string_view::npos) ++depth_;
      if (std::string_view(")]}").find(letter) != std::string_view::npos) --depth_;
      if (letter == '\\' && next_ < text_.size() && text_[next_] == '\n') {
        ++next_;
        ++line_;
        continue;
      }
      if (letter == '\n') ++line_;
      if ((letter == '\n' || letter == ';') && depth_ <= 0) {
        finish(current);
        continue;
      }
      current.text += letter == '\n' ? ' ' : letter;
    }
    if (depth_ > 0)
      return Error{fmt::format("{}:{}", where_, current.line), "a bracket has no end"};
    finish(current);
    return std::move(all_);
  }

 private:
  void finish(Statement& current) {
    if (current.text.find_first_not_of(" \t\r") != std::string::npos) all_.push_back(current);
    current = {"", line_};
    depth_ = 0;
  }

  // With its quotes; three quotes may go over lines.
  std::optional<Error> quoted(char quote, std::string& into) {
    const std::string three(3, quote);
    const std::string end = text_.compare(next_, 3, three) == 0 ? three : std::string(1, quote);
    const int start = line_;
    into += quote;
    for (next_ += end.size(); text_.compare(next_, end.size(), end) != 0; ++next_) {
      if (next_ >= text_.size() || (text_[next_] == '\n' && end.size() == 1))
        return Error{fmt::format("{}:{}", where_, start), "a quote has no end"};
      if (text_[next_] == '\n') ++line_;
      if (text_[next_] == '\\' && next_ + 1 < text_.size()) ++next_;
      into += text_[next_];
    }
    next_ += end.size();
    into += quote;
    return std::nullopt;
  }

  const std::string& text_;
  const std::string& where_;
  std::vector<Statement> all_;
  std::size_t next_ = 0;
  int line_ = 1, depth_ = 0;
};

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

bool is_path(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char letter) {
    return std::isalnum(letter) || letter == '_' || letter == '.';
  });
}

// Parts at a letter that stands in no bracket and no quote.
std::vector<std::string> parts(std::string_view text, char at) {
  std::vector<std::string> all{""};
  char quote = '\0';
  int depth = 0;
  for (const char letter : text) {
    if (quote != '\0') {
      if (letter == quote) quote = '\0';
    } else if (letter == '"' || letter == '\'') {
      quote = letter;
    } else if (std::string_view("([{").find(letter) != std::string_view::npos) {
      ++depth;
    } else if (std::string_view(")]}").find(letter) != std::string_view::npos) {
      --depth;
    } else if (letter == at && depth == 0) {
      all.emplace_back();
      continue;
    }
    all.back() += letter;
  }
  for (std::string& each : all) each = trimmed(each);
  return all;
}

// A literal's text, if it is one.
std::optional<std::string> literal(const std::string& text) {
  const bool is_quoted = text.size() >= 2 && (text[0] == '"' || text[0] == '\'') &&
                         text.find(text[0], 1) == text.size() - 1;
  if (is_quoted) return text.substr(1, text.size() - 2);
  if (text == "None" || text == "True" || text == "False") return text;
  if (text.starts_with("[") && text.ends_with("]")) {
    std::string all;
    for (const std::string& each : parts(std::string_view(text).substr(1, text.size() - 2), ',')) {
      if (each.empty()) continue;
      const auto one = literal(each);
      if (!one) return std::nullopt;
      all += (all.empty() ? "" : ",") + *one;
    }
    return all.empty() ? "None" : all;
  }
  for (const std::string_view owner : {"torch.", "AttnBackend."})
    if (text.starts_with(owner) && is_path(text)) return text.substr(owner.size());
  const bool number = text.find_first_of("0123456789") != std::string::npos &&
                      text.find_first_not_of("0123456789+-.eE_") == std::string::npos;
  if (!number) return std::nullopt;
  std::string plain;
  for (const char letter : text)
    if (letter != '_') plain += letter;
  return plain;
}

class AssignmentReader {
 public:
  explicit AssignmentReader(PythonText& into) : into_(into) {}

  void read(const Statement& statement) {
    const std::vector<std::string> sides = parts(statement.text, '=');
    if (sides.size() != 2) return;
    if (sides[0].starts_with("os.environ[") && sides[0].ends_with("]")) {
      const auto name = literal(sides[0].substr(11, sides[0].size() - 12));
      const auto value = literal(sides[1]);
      if (name && value) into_.environment.push_back({*name, *value});
      return;
    }
    if (sides[0] == "RANKS") {
      const auto value = literal(sides[1]);
      if (value && value->size() < 9 && value->find_first_not_of("0123456789") == std::string::npos)
        into_.ranks = std::stoi("0" + *value);
      return;
    }
    const std::size_t dot = sides[0].find('.');
    if (dot != std::string::npos && is_path(sides[0]))
      take(sides[0].substr(dot + 1), sides[1], statement.line);
  }

 private:
  void take(const std::string& path, const std::string& value, int line) {
    if (const auto plain = literal(value)) {
      into_.assignments.push_back({path, *plain, line});
      return;
    }
    const std::size_t open = value.find('(');
    if (open == std::string::npos || !value.ends_with(")") || !is_path(value.substr(0, open))) {
      into_.assignments.push_back({path, value, line, true});
      return;
    }
    const std::string called =
        value.substr(value.rfind('.', open) == std::string::npos ? 0 : value.rfind('.', open) + 1,
                     std::string::npos);
    into_.assignments.push_back({path, called.substr(0, called.find('(')) + "()", line});
    const std::string_view inside = std::string_view(value).substr(open + 1);
    for (const std::string& each : parts(inside.substr(0, inside.size() - 1), ',')) {
      const std::vector<std::string> sides = parts(each, '=');
      if (sides.size() == 2 && is_path(sides[0])) take(path + "." + sides[0], sides[1], line);
    }
  }

  PythonText& into_;
};

}  // namespace

Result<PythonText> read_python(const std::string& text, const std::string& where) {
  const Result<std::vector<Statement>> statements = StatementReader(text, where).read();
  if (!statements) return statements.error();
  PythonText python;
  AssignmentReader reader(python);
  for (const Statement& each : *statements) reader.read(each);
  return python;
}

}  // namespace quintet::nemo
