#include "sim/frameworks/shell_text.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "sim/frameworks/shell_lines.h"

namespace quintet {
namespace {

using Words = std::vector<ShellWord>;

// Far more than any script has; arrays that hold themselves twice would grow without bounds.
constexpr std::size_t most_words = 100'000;
constexpr std::size_t longest_word = 1 << 20;

class ShellReader {
 public:
  ShellReader(std::string_view text, std::string where) : text_(text), where_(std::move(where)) {}

  Result<ShellText> read() {
    while (at_ < text_.size() && error_.what.empty()) command();
    if (!error_.what.empty()) return error_;
    forget_lines(words_);
    ShellText found{std::move(words_), {}};
    for (auto& [name, values] : values_) {
      forget_lines(values);
      if (!values.empty()) found.variables[name] = values.front();
    }
    return found;
  }

 private:
  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char after(std::size_t count) const {
    return at_ + count < text_.size() ? text_[at_ + count] : '\0';
  }
  char take() {
    const char letter = text_[at_++];
    if (letter == '\n') ++line_;
    return letter;
  }
  void fail(int line, std::string what) {
    if (error_.what.empty()) error_ = {fmt::format("{}:{}", where_, line), std::move(what)};
    at_ = text_.size();
  }

  // Blanks and continued lines; in an array ends of lines and comments, too.
  void skip(bool lines) {
    while (at_ < text_.size()) {
      if (now() == '\\' && (after(1) == '\n' || (after(1) == '\r' && after(2) == '\n'))) {
        while (take() != '\n') continue;
      } else if (now() == ' ' || now() == '\t' || now() == '\r' || (lines && now() == '\n')) {
        take();
      } else if (now() == '#') {
        while (at_ < text_.size() && now() != '\n') take();
      } else {
        return;
      }
    }
  }

  // "NAME=" or "NAME+=" here; its length.
  std::size_t assignment() const {
    std::size_t end = at_;
    while (end < text_.size() && in_name(text_[end])) ++end;
    if (end == at_ || std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) return 0;
    if (end + 1 < text_.size() && text_[end] == '+') ++end;
    return end < text_.size() && text_[end] == '=' ? end + 1 - at_ : 0;
  }

  void command() {
    bool first = true;
    while (error_.what.empty()) {
      skip(false);
      if (at_ >= text_.size()) return;
      if (now() == '\n') {
        take();
        return;
      }
      if (ends_word(now())) {
        take();
        first = true;
      } else if (const std::size_t length = first ? assignment() : 0; length > 0) {
        assign(length);
      } else {
        Words found = word();
        const bool declares = first && found.size() == 1 &&
                              (found[0].text == "export" || found[0].text == "declare" ||
                               found[0].text == "local" || found[0].text == "env");
        first = declares;
        if (!declares) append(words_, std::move(found));
      }
    }
  }

  void append(Words& to, Words words) {
    if (to.size() + words.size() > most_words)
      return fail(line_, "there are more words than 100000");
    to.insert(to.end(), words.begin(), words.end());
  }

  void assign(std::size_t length) {
    std::string name(text_.substr(at_, length - 1));
    at_ += length;
    const bool adds = name.ends_with('+');
    if (adds) name.pop_back();
    Words value;
    if (now() == '(')
      value = array();
    else if (!ends_word(now()))
      value = word();
    else
      value = {{"", line_, false}};
    if (!adds) values_[name].clear();
    append(values_[name], std::move(value));
  }

  Words array() {
    const int start = line_;
    take();
    Words all;
    while (true) {
      skip(true);
      if (at_ >= text_.size()) {
        fail(start, "an array begins here that has no \")\"");
        return {};
      }
      if (now() == ')') break;
      if (ends_word(now()))
        take();
      else
        append(all, word());
    }
    take();
    return all;
  }

  // What a word becomes: several, where an array or a list without quotes is in it.
  Words word() {
    Words all{{"", line_, false}};
    bool quoted = false;
    while (at_ < text_.size() && (quoted || !ends_word(now()))) {
      if (now() == '"') {
        quoted = !quoted;
        take();
      } else if (now() == '\'' && !quoted) {
        single_quoted(all.back());
      } else if (now() == '\\' && at_ + 1 < text_.size()) {
        take();
        const char letter = take();
        if (letter != '\n')
          all.back().text += letter;
        else if (quoted)
          all.back().text += line_went_on;
      } else if (now() == '$' || now() == '`') {
        expand(all, quoted);
      } else {
        all.back().text += take();
      }
      if (all.back().text.size() > longest_word)
        fail(line_, "a word has more than 1048576 letters");
    }
    if (quoted) fail(all.front().line, "a quote begins here that does not end");
    if (all.size() == 1 && all[0].text.empty() && dropped_) all.clear();
    dropped_ = false;
    return all;
  }

  void single_quoted(ShellWord& into) {
    const int start = line_;
    take();
    while (at_ < text_.size() && now() != '\'') into.text += take();
    if (at_ >= text_.size()) return fail(start, "a quote begins here that does not end");
    take();
  }

  // Up to the bracket that closes what is open here, as it is written.
  std::string_view bracketed(char open, char close) {
    const std::size_t start = at_;
    const int line = line_;
    int depth = 0;
    while (at_ < text_.size()) {
      const char letter = take();
      if (letter == open) ++depth;
      if (letter == close && --depth == 0) return text_.substr(start, at_ - start);
    }
    fail(line, fmt::format("\"{}\" begins here without its \"{}\"", open, close));
    return {};
  }

  void unknown(Words& all, std::string_view written) {
    all.back().text += written;
    all.back().unknown = true;
  }

  void expand(Words& all, bool quoted) {
    if (now() == '`') {
      const std::size_t start = at_;
      take();
      while (at_ < text_.size() && now() != '`') take();
      if (at_ >= text_.size()) return fail(line_, "a \"`\" has no second one");
      take();
      return unknown(all, text_.substr(start, at_ - start));
    }
    const std::size_t start = at_;
    take();
    if (now() == '(') {
      bracketed('(', ')');
      return unknown(all, text_.substr(start, at_ - start));
    }
    if (now() == '{') {
      const std::string_view inside = bracketed('{', '}');
      if (inside.size() >= 2) braced(all, inside.substr(1, inside.size() - 2), quoted);
      return;
    }
    const std::size_t name = at_;
    while (at_ < text_.size() && in_name(now())) take();
    if (at_ == name) {
      if (now() == '@' || now() == '*' || now() == '#' || now() == '?') take();
      return unknown(all, text_.substr(start, at_ - start));
    }
    put(all, std::string(text_.substr(name, at_ - name)), std::nullopt, quoted, false);
  }

  // NAME, NAME:-value, NAME-value, NAME[@], NAME[*].
  void braced(Words& all, std::string_view inside, bool quoted) {
    std::size_t end = 0;
    while (end < inside.size() && in_name(inside[end])) ++end;
    const std::string name(inside.substr(0, end));
    std::string_view rest = inside.substr(end);
    if (rest.empty()) return put(all, name, std::nullopt, quoted, false);
    if (rest == "[@]" || rest == "[*]") return put(all, name, std::nullopt, quoted, true);
    if (rest.starts_with(":-") || rest.starts_with("-"))
      return put(all, name, std::string(rest.substr(rest[0] == ':' ? 2 : 1)), quoted, false);
    unknown(all, fmt::format("${{{}}}", inside));
  }

  void put(Words& all, const std::string& name, std::optional<std::string> usual, bool quoted,
           bool whole) {
    const auto found = values_.find(name);
    if (found == values_.end()) {
      if (!usual) return unknown(all, "$" + name);
      if (usual->find('$') != std::string::npos) all.back().unknown = true;
      all.back().text += *usual;
      return;
    }
    if (found->second.empty()) {
      dropped_ = true;
      return;
    }
    if (whole) return put_array(all, found->second);
    const ShellWord& value = found->second.front();
    all.back().unknown |= value.unknown;
    if (quoted)
      all.back().text += value.text;
    else
      put_split(all, value);
  }

  void put_array(Words& all, const Words& values) {
    if (all.back().text.empty() && !all.back().unknown && values.size() <= most_words)
      all.pop_back();
    append(all, values);
  }

  // Without quotes a value with blanks is several words, which scripts of one string rely on.
  void put_split(Words& all, const ShellWord& value) {
    Words words = split_at_blanks(value);
    if (words.empty()) {
      dropped_ = true;
      return;
    }
    ShellWord& first = all.back();
    if (first.text.empty() && words.front().line > 0) first.line = words.front().line;
    first.text += words.front().text;
    words.erase(words.begin());
    append(all, std::move(words));
  }

  std::string_view text_;
  std::string where_;
  std::size_t at_ = 0;
  int line_ = 1;
  Error error_;
  Words words_;
  std::map<std::string, Words> values_;
  bool dropped_ = false;  // the word has an expansion to nothing
};

}  // namespace

Result<ShellText> read_shell(const std::string& text, const std::string& where) {
  return ShellReader(text, where).read();
}

}  // namespace quintet
