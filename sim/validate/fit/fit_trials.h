// Rows of one fit under one setting of its parameters after the other.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/validate/fit/fit.h"
#include "sim/validate/fit/grid_search.h"

namespace quintet {

// What a row says at one setting.
struct RowScore {
  double loss = 0;  // see fit.h
  std::optional<Pair> time, memory;
  std::optional<bool> right;  // its memory verdict
};

// Each setting is tried once.
class FitTrials {
 public:
  FitTrials(const TunableShelf& shelf, std::vector<std::size_t> parameters, JudgedBy judge,
            const FitOptions& options);

  void add(const RowVerdict& verdict);  // before the first at()

  std::size_t rows() const { return rows_.size(); }
  const PublishedRow& row(std::size_t index) const { return rows_[index]; }
  const std::vector<RowScore>& shipped() const { return shipped_; }

  // The scores of all rows; the reference lasts. A setting that cannot be made leaves error().
  const std::vector<RowScore>& at(const GridPoint& point);
  const std::optional<Error>& error() const { return error_; }
  int points() const { return static_cast<int>(known_.size()); }

  std::size_t dimensions() const { return parameters_.size(); }
  const ShelfParameter& parameter(std::size_t dimension) const;
  std::string value(std::size_t dimension, int position) const;  // JSON text

 private:
  std::vector<RowScore> try_out(const GridPoint& point);

  const TunableShelf& shelf_;
  std::vector<std::size_t> parameters_;
  JudgedBy judge_;
  const FitOptions& options_;
  std::vector<PublishedRow> rows_;
  std::vector<RowScore> shipped_;
  std::map<GridPoint, std::vector<RowScore>> known_;
  std::optional<Error> error_;
};

}  // namespace quintet
