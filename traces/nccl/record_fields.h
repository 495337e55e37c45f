// The fields of one record of JSON that NCCL's tools wrote, by path: "header.rank". The first that
// is wrong is kept as the error, with its place.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"

namespace quintet {

class RecordFields {
 public:
  RecordFields();
  ~RecordFields();
  RecordFields(const RecordFields&) = delete;
  RecordFields& operator=(const RecordFields&) = delete;

  // What is asked for from now on, is of this record; an error where it is no object of JSON.
  std::optional<Error> parse(const std::string& text, std::string place);

  bool has(std::string_view path) const;
  // 0, 0, "" and an error where it is something else.
  std::int64_t integer(std::string_view path, std::int64_t least, std::int64_t most);
  double number(std::string_view path);
  std::string text(std::string_view path);
  // None where it is absent or something else.
  std::optional<std::int64_t> integer_if(std::string_view path) const;
  std::optional<std::uint64_t> unsigned_if(std::string_view path) const;
  std::optional<double> number_if(std::string_view path) const;
  std::string text_if(std::string_view path) const;
  // Of each object of a list, the integers under these two keys; those without both are skipped.
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs(std::string_view path,
                                                           std::string_view first,
                                                           std::string_view second) const;

  void fail(std::string_view path, std::string what);
  const std::optional<Error>& error() const { return error_; }

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
  std::string place_;
  std::optional<Error> error_;
};

}  // namespace quintet
