#include "sim/timeline/chrome_trace/trace_records.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace quintet {
namespace {

constexpr std::size_t deepest = 64;  // deeper is rubbish, and would only fill memory

enum class Container { object, array };

// Follows the parser and keeps the scalars that belong to a record.
class RecordCollector : public nlohmann::json_sax<nlohmann::json> {
 public:
  RecordCollector(const std::string& where, const std::function<void(TraceRecord&)>& take)
      : where_(where), take_(take), record_(where) {}

  const std::optional<Error>& error() const { return error_; }

  bool null() override { return scalar({}); }
  bool boolean(bool) override { return scalar({}); }
  bool number_integer(number_integer_t value) override {
    return scalar({ScalarKind::integer, value, {}});
  }
  bool number_unsigned(number_unsigned_t value) override {
    const bool fits = value <= static_cast<std::uint64_t>(INT64_MAX);
    return scalar(fits ? Scalar{ScalarKind::integer, static_cast<std::int64_t>(value), {}}
                       : Scalar{ScalarKind::decimal, 0, fmt::to_string(value)});
  }
  bool number_float(number_float_t, const string_t& text) override {
    return scalar({ScalarKind::decimal, 0, text});
  }
  bool string(string_t& text) override { return scalar({ScalarKind::text, 0, std::move(text)}); }
  bool binary(binary_t&) override { return false; }  // never in JSON text
  bool key(string_t& key) override {
    key_ = std::move(key);
    if (open_.size() == 1) section_ = key_;
    if (open_.size() == record_depth_) object_key_ = key_;
    return true;
  }
  bool start_object(std::size_t) override;
  bool start_array(std::size_t) override {
    if (open_.size() == 1) elements_ = 0;
    return open(Container::array);
  }
  bool end_object() override;
  bool end_array() override {
    open_.pop_back();
    return true;
  }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::json::exception& error) override {
    // Its text begins with an identifier: "[json.exception.parse_error.101] parse error at ...".
    const std::string text = error.what();
    const std::size_t identifier_end = text.find("] ");
    return fail("not JSON: " +
                text.substr(identifier_end == std::string::npos ? 0 : identifier_end + 2));
  }

 private:
  bool fail(const std::string& what) {
    if (!error_) error_ = Error{where_, what};
    return false;
  }
  bool open(Container container) {
    if (open_.empty() && container == Container::array)
      return fail("expected an object with traceEvents, found an array");
    open_.push_back(container);
    return open_.size() <= deepest || fail(fmt::format("nested deeper than {} levels", deepest));
  }
  // A section that is an object, or an element of a section that is an array.
  bool record_begins() const {
    return open_.size() == 1 || (open_.size() == 2 && open_[1] == Container::array);
  }
  bool scalar(Scalar value);

  const std::string& where_;
  const std::function<void(TraceRecord&)>& take_;
  TraceRecord record_;
  std::optional<Error> error_;
  std::vector<Container> open_;
  std::string key_, section_, object_key_;
  std::size_t record_depth_ = 0;  // containers open inside the record's object; 0: in no record
  std::int64_t elements_ = 0;
};

bool RecordCollector::start_object(std::size_t) {
  if (record_depth_ == 0 && record_begins()) {
    record_.begin(section_, open_.size() == 1 ? -1 : elements_++);
    record_depth_ = open_.size() + 1;
  }
  return open(Container::object);
}

bool RecordCollector::end_object() {
  const bool record_ends = record_depth_ != 0 && open_.size() == record_depth_;
  open_.pop_back();
  if (!record_ends) return true;
  record_depth_ = 0;
  take_(record_);
  if (record_.failed()) error_ = record_.error();
  return !record_.failed();
}

bool RecordCollector::scalar(Scalar value) {
  if (open_.empty()) return fail("expected an object with traceEvents, found a single value");
  if (record_depth_ == 0) return true;
  if (open_.size() == record_depth_)
    record_.add(key_, FieldOf::object, std::move(value));
  else if (open_.size() == record_depth_ + 1 && open_.back() == Container::object &&
           object_key_ == "args")
    record_.add(key_, FieldOf::arguments, std::move(value));
  return true;
}

}  // namespace

std::optional<Error> read_records(const std::string& text, const std::string& where,
                                  const std::function<void(TraceRecord&)>& take) {
  RecordCollector collector(where, take);
  const bool read = nlohmann::json::sax_parse(text, &collector);
  if (read || collector.error()) return collector.error();
  return Error{where, "not JSON"};
}

}  // namespace quintet
