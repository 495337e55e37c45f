#include "sim/base/csv.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "sim/base/text_file.h"

namespace quintet {

namespace {

enum class At { cell_start, plain, quoted, after_quote };

class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Result<std::vector<CsvRow>> rows() {
    for (const char letter : text_) {
      if (const auto error = take(letter)) return *error;
      ++column_;
      if (letter == '\n') ++line_, column_ = 1;
    }
    if (at_ == At::quoted)
      return Error{place(quote_line_, quote_column_), "the quote opened here never closes"};
    end_row();
    return std::move(rows_);
  }

 private:
  std::string place(int line, int column) const {
    return fmt::format("{}: line {}, column {}", file_, line, column);
  }

  std::optional<Error> take(char letter) {
    if (at_ == At::quoted) {
      if (letter == '"')
        at_ = At::after_quote;
      else
        cell_ += letter;
      return std::nullopt;
    }
    if (letter == '"') return take_quote();
    if (letter == ',') return end_cell(), std::nullopt;
    if (letter == '\n') return end_row(), std::nullopt;
    if (letter == '\r') return std::nullopt;
    if (at_ == At::after_quote)
      return Error{place(line_, column_),
                   "expected a comma or the end of the line after a closing "
                   "quote, found \"" +
                       std::string(1, letter) + "\""};
    at_ = At::plain;
    cell_ += letter;
    return std::nullopt;
  }

  std::optional<Error> take_quote() {
    switch (at_) {
      case At::cell_start:
        quote_line_ = line_, quote_column_ = column_;
        break;
      case At::after_quote:  // a doubled quote stands for one
        cell_ += '"';
        break;
      case At::plain:
      case At::quoted:
        return Error{place(line_, column_),
                     "a quote inside a cell that did not begin with one; quote the whole cell and "
                     "double the quotes inside"};
    }
    at_ = At::quoted;
    return std::nullopt;
  }

  void end_cell() {
    row_.push_back(std::exchange(cell_, {}));
    at_ = At::cell_start;
  }

  void end_row() {
    const bool nothing = row_.empty() && cell_.empty() && at_ == At::cell_start;
    if (!nothing) {
      end_cell();
      rows_.push_back({row_line_, std::exchange(row_, {})});
    }
    row_line_ = line_ + 1;
  }

  std::string_view text_;
  const std::string& file_;
  At at_ = At::cell_start;
  int line_ = 1, column_ = 1, row_line_ = 1, quote_line_ = 0, quote_column_ = 0;
  std::string cell_;
  std::vector<std::string> row_;
  std::vector<CsvRow> rows_;
};

}  // namespace

Result<std::vector<CsvRow>> parse_csv(const std::string& text, const std::string& file) {
  if (auto wrong = other_encoding(text, file)) return *wrong;
  return CsvReader(text, file).rows();
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char each : text) quoted += each == '"' ? "\"\"" : std::string(1, each);
  return quoted + "\"";
}

std::optional<double> csv_number(const std::string& cell) {
  double value = 0;
  const char* const end = cell.data() + cell.size();
  const auto [stopped, code] = std::from_chars(cell.data(), end, value);
  if (code != std::errc{} || stopped != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace quintet
