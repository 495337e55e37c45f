#include "calibrate/probes/probe_journal.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sim/base/text_file.h"
#include "sim/cost/file/operator_lists.h"
#include "sim/json/field_list.h"

namespace quintet::calibrate {
namespace {

constexpr const char* title = "quintet calibrate";

struct Title {
  std::string journal, conditions;
};

template <class File>
void fields(File& file, Title& first) {
  file.required("journal", first.journal);
  file.required("conditions", first.conditions);
}

template <class Record>
std::string line_of(Record record) {
  return FieldWriter(Digits::exact).written(record).dump() + "\n";
}

template <class Record>
Record read(JsonObject& root) {
  Record record;
  FieldReader reader(root);
  fields(reader, record);
  return record;
}

}  // namespace

template <class File>
void fields(File& file, ProbeRecord& record) {
  file.required("probe", record.probe);
  file.field("operators", record.operators);
  file.field("staging", record.staging);
  file.required("step", record.step);
  std::optional<Seconds> gap, around;
  if (record.margins) gap = record.margins->gap, around = record.margins->around;
  file.field("gap", gap);
  file.field("around", around);
  if (gap.has_value() != around.has_value())
    file.refuse("gap", "stands with \"around\", or neither does");
  if (gap && around) record.margins = StepMargins{*gap, *around};
}

template <class File>
void fields(File& file, TimingRecord& record) {
  file.required("timing", record.what);
  file.required("at", record.at);
  file.required("seconds", record.seconds);
}

namespace {

std::optional<Error> check_title(const std::string& line, const std::string& where,
                                 const std::string& conditions) {
  const Result<nlohmann::json> json = parse_json(line, where);
  if (!json) return json.error();
  JsonObject root(*json, where);
  const auto [journal, found] = read<Title>(root);
  if (!root.failed() && journal != title)
    root.fail("journal", "found \"" + journal + "\", expected \"" + title + "\"");
  if (!root.failed() && found != conditions)
    root.fail("conditions", "found \"" + found + "\", this calibration's are \"" + conditions +
                                "\"; name another journal, or remove this one");
  if (!root.failed()) root.refuse_unknown_keys();
  return root.error();
}

Error of_system(const std::filesystem::path& file) {
  return {file.string(), std::strerror(errno)};
}

// All of it, or none of it.
std::optional<Error> write_whole(int descriptor, const std::string& text,
                                 const std::filesystem::path& file) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(descriptor, text.data() + done, text.size() - done);
    if (count < 0) return of_system(file);
    done += static_cast<std::size_t>(count);
  }
  return fsync(descriptor) == 0 ? std::nullopt : std::optional<Error>(of_system(file));
}

}  // namespace

std::optional<Error> ProbeJournal::append(const std::string& line) const {
  const int descriptor = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) return of_system(file_);
  const auto wrong = write_whole(descriptor, line, file_);
  close(descriptor);
  return wrong;
}

Result<ProbeJournal> ProbeJournal::open(const std::filesystem::path& file,
                                        const std::string& conditions) {
  ProbeJournal journal(file);
  std::error_code error;
  std::string text;
  if (std::filesystem::exists(file, error)) {
    Result<std::string> read = read_text_file(file);
    if (!read) return read.error();
    text = std::move(*read);
  }
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  if (whole == 0 && !text.empty() && !text.starts_with("{\"journal\""))
    return Error{file.string() + ":1", "is no journal of quintet calibrate"};
  if (whole < text.size()) {
    std::filesystem::resize_file(file, whole, error);
    if (error) return Error{file.string(), error.message()};
  }
  int number = 0;
  for (std::size_t at = 0; at < whole;) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    const std::string where = fmt::format("{}:{}", file.string(), ++number);
    at = end + 1;
    if (number == 1) {
      if (auto wrong = check_title(line, where, conditions)) return *wrong;
      continue;
    }
    if (auto wrong = journal.take(line, where)) return *wrong;
  }
  if (number == 0) {
    if (auto wrong = journal.append(line_of(Title{title, conditions}))) return *wrong;
  }
  return journal;
}

std::optional<Error> ProbeJournal::take(const std::string& line, const std::string& where) {
  const Result<nlohmann::json> json = parse_json(line, where);
  if (!json) return json.error();
  JsonObject root(*json, where);
  if (root.has("timing"))
    timings_.push_back(read<TimingRecord>(root));
  else
    records_.push_back(read<ProbeRecord>(root));
  if (!root.failed()) root.refuse_unknown_keys();
  return root.error();
}

std::optional<Error> ProbeJournal::add(TimingRecord record) {
  if (auto wrong = append(line_of(record))) return wrong;
  timings_.push_back(std::move(record));
  return std::nullopt;
}

std::optional<Error> ProbeJournal::add(ProbeRecord record) {
  if (auto wrong = append(line_of(record))) return wrong;
  records_.push_back(std::move(record));
  return std::nullopt;
}

}  // namespace quintet::calibrate
