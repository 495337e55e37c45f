#include "traces/json_stream/list_document.h"

#include <fmt/format.h>

#include "sim/base/shown_text.h"
#include "traces/json_stream/escapes.h"
#include "traces/json_stream/json_scanner.h"

namespace quintet::json_stream {
namespace {

constexpr char at_the_end = '\0';

class Walk {
 public:
  Walk(JsonWindow& window, const ListReader& reader) : window_(window), reader_(reader) {}
  std::optional<Error> document();
  ListEnd end() const { return {breaks_off_}; }

 private:
  // The next character that is no white space, not consumed.
  Result<char> next();
  std::optional<Error> fields();
  std::optional<Error> field();
  std::optional<Error> elements();
  std::optional<Error> batch();
  // The next value lies in the window; how long it is.
  Result<std::size_t> whole_value();
  std::optional<Error> value(const std::string& key);
  std::optional<Error> skipped_value();
  Error cut_off(std::string_view in) const;
  Error unexpected(char found, std::string_view expected) const;

  JsonWindow& window_;
  const ListReader& reader_;
  bool had_list_ = false, breaks_off_ = false;
};

Result<char> Walk::next() {
  while (true) {
    const std::string_view text = window_.text();
    const std::size_t at = text.find_first_not_of(" \n\r\t");
    window_.consume(at == std::string_view::npos ? text.size() : at);
    if (at != std::string_view::npos) return text[at];
    const auto more = window_.more();
    if (!more) return more.error();
    if (!*more) return at_the_end;
  }
}

Error Walk::cut_off(std::string_view in) const {
  return window_.error(
      fmt::format("the file is cut off in {}, after {} whole events: copy it "
                  "again, or record anew and let the profiler finish",
                  in, reader_.count()));
}

Error Walk::unexpected(char found, std::string_view expected) const {
  return window_.error(
      fmt::format("expected {}, found {}", expected, in_quotes(std::string_view(&found, 1))));
}

std::optional<Error> Walk::document() {
  if (window_.text().empty())
    if (const auto more = window_.more(); !more) return more.error();
  if (window_.text().starts_with("\xEF\xBB\xBF")) window_.consume(3);
  const auto first = next();
  if (!first) return first.error();
  if (*first == at_the_end) return window_.error("the file is empty: expected " + reader_.document);
  if (*first != '{' && !(*first == '[' && reader_.may_be_bare))
    return unexpected(*first, reader_.document);
  const std::size_t begin = window_.offset();
  if (auto wrong = *first == '{' ? fields() : elements()) return wrong;
  if (!had_list_)
    return Error{fmt::format("{}: byte {}", window_.where(), begin),
                 fmt::format("it has no \"{}\": expected {}", reader_.list, reader_.document)};
  const auto rest = next();
  if (!rest) return rest.error();
  if (*rest != at_the_end) return unexpected(*rest, "nothing after the end");
  return std::nullopt;
}

std::optional<Error> Walk::fields() {
  window_.consume(1);
  for (bool first = true; !breaks_off_; first = false) {
    auto character = next();
    if (character && *character == ',' && !first) {
      window_.consume(1);
      character = next();
    }
    if (!character) return character.error();
    if (*character == '}') return window_.consume(1), std::nullopt;
    if (*character == at_the_end) {
      if (!had_list_) return cut_off("its header");
      breaks_off_ = true;
    } else if (*character != '"') {
      return unexpected(*character, "the name of a value or the end");
    } else if (auto wrong = field()) {
      return wrong;
    }
  }
  return std::nullopt;
}

std::optional<Error> Walk::field() {
  const auto size = whole_value();
  if (!size) return size.error();
  const std::string key = unescaped(window_.text().substr(1, *size - 2));
  window_.consume(*size);
  const auto colon = next();
  if (!colon) return colon.error();
  if (*colon == at_the_end) return cut_off(in_quotes(key));
  if (*colon != ':') return unexpected(*colon, fmt::format("\":\" after {}", in_quotes(key)));
  window_.consume(1);
  if (key != reader_.list) return value(key);
  if (had_list_) return window_.error(in_quotes(key) + " appears twice: expected one list a file");
  const auto opened = next();
  if (!opened) return opened.error();
  if (*opened == at_the_end) return cut_off(in_quotes(reader_.list));
  if (*opened != '[') return unexpected(*opened, fmt::format("a list of {}s", reader_.element));
  return elements();
}

Result<std::size_t> Walk::whole_value() {
  if (const auto first = next(); !first) return first.error();
  while (true) {
    if (const auto end = ValueScanner().end_in(window_.text())) return *end;
    const auto more = window_.more();
    if (!more) return more.error();
    if (!*more) return cut_off("its header");
  }
}

std::optional<Error> Walk::value(const std::string& key) {
  if (!reader_.wants(key)) return skipped_value();
  const auto size = whole_value();
  if (!size) return size.error();
  if (*size == 0) return unexpected(window_.text().front(), "a value of " + in_quotes(key));
  if (auto wrong = reader_.on_value(key, window_.text().substr(0, *size))) return wrong;
  window_.consume(*size);
  return std::nullopt;
}

std::optional<Error> Walk::skipped_value() {
  ValueScanner scanner;
  while (true) {
    const auto end = scanner.end_in(window_.text());
    window_.consume(end ? *end : window_.text().size());
    if (end) return std::nullopt;
    const auto more = window_.more();
    if (!more) return more.error();
    if (!*more) return cut_off("its header");
  }
}

std::optional<Error> Walk::elements() {
  had_list_ = true;
  window_.consume(1);
  for (bool first = true;; first = false) {
    auto character = next();
    if (character && *character == ',' && !first) {
      window_.consume(1);
      character = next();
    }
    if (!character) return character.error();
    if (*character == ']') return window_.consume(1), std::nullopt;
    if (*character == at_the_end) {
      if (first) return cut_off(in_quotes(reader_.list));
      breaks_off_ = true;
      return std::nullopt;
    }
    if (*character != '{')
      return unexpected(*character,
                        fmt::format("{} {}, {{...}}", reader_.element, reader_.count()));
    if (auto wrong = batch()) return wrong;
  }
}

std::optional<Error> Walk::batch() {
  std::size_t end = 0;
  while ((end = complete_elements(window_.text()).end) == 0) {
    const auto more = window_.more();
    if (!more) return more.error();
    if (!*more) return cut_off(fmt::format("{} {}", reader_.element, reader_.count()));
  }
  // All elements of the window are an array for a moment: the library's first pass over the text
  // costs much less at once than one by one.
  char* const text = window_.data();
  const char before = std::exchange(text[-1], '['), after = std::exchange(text[end], ']');
  const auto fault = reader_.parse(text - 1, end + 2);
  text[-1] = before;
  text[end] = after;
  if (fault) {
    const std::size_t ahead = fault->at > 0 ? fault->at - 1 : 0;
    return Error{fmt::format("{} ({} {})", window_.place(ahead), reader_.element, reader_.count()),
                 fault->what};
  }
  window_.consume(end);
  return std::nullopt;
}

}  // namespace

Result<ListEnd> read_list(JsonWindow& window, const ListReader& reader) {
  Walk walk(window, reader);
  if (auto wrong = walk.document()) return *wrong;
  return walk.end();
}

}  // namespace quintet::json_stream
