#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <sstream>

#include "calibrate/fit/measurement_files.h"
#include "calibrate/fit/swept_words.h"
#include "sim/base/shown_text.h"

namespace quintet::calibrate {
namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::optional<double> number(const std::string& word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

// Where a table's columns are.
struct Columns {
  std::size_t count = 0, size = 0, time = 0;
};

class TextReader {
 public:
  TextReader(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  Result<Measurements> read() {
    std::istringstream stream(text_);
    for (std::string line; std::getline(stream, line); ++number_)
      if (const auto error = take(line)) return *error;
    if (!columns_)
      return Error{file_,
                   "found no table of nccl-tests; expected a line \"# size count type ...\""};
    const auto kind = swept_in(text_) ? swept_in(text_) : swept_in(file_);
    if (!kind)
      return Error{file_,
                   "does not say which collective it measured; expected a word like "
                   "\"all_reduce_perf\" in it or in its name (" +
                       swept_words() + ")"};
    if (samples_.empty()) return Error{file_, "its table has no rows"};
    if (ranks_ < 2)
      return Error{file_, fmt::format("expected two lines \"#  Rank\" or more, found {}", ranks_)};
    Measurements measurements;
    for (CollectiveSample& sample : samples_) {
      sample.kind = *kind;
      sample.ranks = ranks_;
      sample.hosts = std::max<int>(1, static_cast<int>(hosts_.size()));
      sample.gpu = gpu_;
      sample.source = file_;
      measurements.collectives.push_back(sample);
    }
    return measurements;
  }

 private:
  std::string place() const { return fmt::format("{}: line {}", file_, number_); }

  std::optional<Error> take(const std::string& line) {
    std::vector<std::string> words = words_of(line);
    if (words.empty()) return std::nullopt;
    if (words[0].starts_with('#')) {
      if (words[0] == "#") words.erase(words.begin());
      take_remark(words, line);
      return std::nullopt;
    }
    if (!columns_ || !number(words[0])) return std::nullopt;  // what else a log holds
    return take_row(words);
  }

  // "Rank 0 Group 0 Pid 6899 on host-a device 0 [0000:04:00] NVIDIA H100 80GB HBM3"
  void take_remark(const std::vector<std::string>& words, const std::string& line) {
    if (words.size() >= 2 && words[0] == "size" && words[1] == "count") take_header(words);
    if (words.size() < 3 || words[0] != "Rank" || !number(words[1])) return;
    ++ranks_;
    const auto on = std::find(words.begin(), words.end(), "on");
    if (on != words.end() && on + 1 != words.end()) hosts_.insert(*(on + 1));
    const std::size_t bracket = line.rfind("] ");
    if (bracket != std::string::npos) gpu_ = shown(line.substr(bracket + 2), 60);
  }

  void take_header(const std::vector<std::string>& words) {
    const auto time = std::find_if(words.begin(), words.end(), [](const std::string& word) {
      return word == "time" || word == "cputime";
    });
    if (time == words.end()) return;
    columns_ = Columns{words.size(), 0, static_cast<std::size_t>(time - words.begin())};
  }

  // Without a reduction or a root older versions leave their cells empty: columns are counted from
  // the end.
  std::optional<Error> take_row(const std::vector<std::string>& words) {
    const std::size_t after_time = columns_->count - columns_->time;
    if (words.size() <= after_time || words.size() > columns_->count + 2)
      return Error{place(), fmt::format("found {} cells; expected {} as the table's head has",
                                        words.size(), columns_->count)};
    const std::size_t at = std::min(words.size(), columns_->count) - after_time;
    const auto size = number(words[0]), time = number(words[at]);
    if (!size || *size < 0) return Error{place(), wrong("a size in bytes", words[0])};
    if (!time || *time <= 0) return Error{place(), wrong("a time above 0 us", words[at])};
    if (*size > 0) samples_.push_back({.size = {*size}, .time = {*time * 1e-6}});
    return std::nullopt;
  }
  static std::string wrong(const std::string& expected, const std::string& found) {
    return "expected " + expected + ", found " + in_quotes(found);
  }

  const std::string& text_;
  const std::string& file_;
  int number_ = 1;
  std::optional<Columns> columns_;
  int ranks_ = 0;
  std::set<std::string> hosts_;
  std::string gpu_;
  std::vector<CollectiveSample> samples_;
};

}  // namespace

Result<Measurements> parse_nccl_tests_text(const std::string& text, const std::string& file) {
  return TextReader(text, file).read();
}

}  // namespace quintet::calibrate
