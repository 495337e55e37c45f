// Comma-separated rows of published measurements, for tests that compare with them.
#pragma once

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace quintet::test {

using Row = std::map<std::string, std::string>;  // by column name

// Quoted fields may hold commas and doubled quotes.
inline std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char letter : line) {
    if (letter == '"')
      quoted = !quoted;
    else if (letter == ',' && !quoted)
      fields.emplace_back();
    else if (letter != '\r')
      fields.back() += letter;
  }
  return fields;
}

// Empty when there is no such file.
inline std::vector<Row> csv_rows(const std::string& path) {
  std::ifstream file(path);
  std::vector<Row> rows;
  std::string line;
  if (!std::getline(file, line)) return rows;
  const std::vector<std::string> names = csv_fields(line);
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = csv_fields(line);
    Row& row = rows.emplace_back();
    for (std::size_t index = 0; index < std::min(names.size(), fields.size()); ++index)
      row[names[index]] = fields[index];
  }
  return rows;
}

}  // namespace quintet::test
