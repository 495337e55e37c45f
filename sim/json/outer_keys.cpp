#include "sim/json/outer_keys.h"

#include <nlohmann/json.hpp>

namespace quintet {

namespace {

class OuterKeys final : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<std::string> keys;

  bool null() override { return depth_ > 0; }
  bool boolean(bool) override { return depth_ > 0; }
  bool number_integer(number_integer_t) override { return depth_ > 0; }
  bool number_unsigned(number_unsigned_t) override { return depth_ > 0; }
  bool number_float(number_float_t, const string_t&) override { return depth_ > 0; }
  bool string(string_t&) override { return depth_ > 0; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return ++depth_ > 0; }
  bool key(string_t& name) override {
    if (depth_ == 1) keys.push_back(name);
    return true;
  }
  bool end_object() override { return --depth_ > 0; }
  bool start_array(std::size_t) override { return depth_++ > 0; }
  bool end_array() override { return --depth_ > 0; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  int depth_ = 0;
};

}  // namespace

std::vector<std::string> outer_keys(std::string_view text) {
  OuterKeys reader;
  nlohmann::json::sax_parse(text, &reader);
  return reader.keys;
}

}  // namespace quintet
