#include "sim/validate/rows/published_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <variant>

#include "sim/base/csv.h"
#include "sim/base/nearest_word.h"
#include "sim/base/shown_text.h"

namespace quintet {

namespace {

using Text = std::string PublishedRow::*;
using Whole = std::optional<int> PublishedRow::*;
using Real = std::optional<double> PublishedRow::*;
struct Status {};

struct Column {
  const char* name;
  std::variant<Text, Whole, Real, Status> field;
};

const std::vector<Column>& columns() {
  using Row = PublishedRow;
  static const std::vector<Column> all{
      {"id", &Row::id},
      {"source", &Row::source},
      {"confidence", &Row::confidence},
      {"kind", &Row::kind},
      {"status", Status{}},
      {"framework", &Row::framework},
      {"date", &Row::date},
      {"model", &Row::model},
      {"arch", &Row::arch},
      {"params_b", &Row::params_b},
      {"layers", &Row::layers},
      {"hidden", &Row::hidden},
      {"heads", &Row::heads},
      {"kv_heads", &Row::kv_heads},
      {"ffn", &Row::ffn},
      {"vocab", &Row::vocab},
      {"seq", &Row::seq},
      {"experts", &Row::experts},
      {"topk", &Row::topk},
      {"gpu", &Row::gpu},
      {"gpus", &Row::gpus},
      {"gpus_per_node", &Row::gpus_per_node},
      {"network", &Row::network},
      {"tp", &Row::tp},
      {"pp", &Row::pp},
      {"dp", &Row::dp},
      {"cp", &Row::cp},
      {"ep", &Row::ep},
      {"vpp", &Row::vpp},
      {"mbs", &Row::mbs},
      {"gbs", &Row::gbs},
      {"recompute", &Row::recompute},
      {"seq_parallel", &Row::seq_parallel},
      {"sharding", &Row::sharding},
      {"precision", &Row::precision},
      {"attention", &Row::attention},
      {"step_time_s", &Row::step_time_s},
      {"tokens_per_s_per_gpu", &Row::tokens_per_s_per_gpu},
      {"samples_per_s", &Row::samples_per_s},
      {"tflops_per_gpu", &Row::tflops_per_gpu},
      {"mfu_pct", &Row::mfu_pct},
      {"hfu_pct", &Row::hfu_pct},
      {"peak_mem_gib", &Row::peak_mem_gib},
      {"flops_convention", &Row::flops_convention},
      {"notes", &Row::notes},
  };
  return all;
}

// Every number of the files is a count, a size or a rate.
constexpr double most_whole = 1e9;

std::optional<std::string> fill(PublishedRow& row, Whole field, const std::string& cell) {
  const std::optional<double> value = csv_number(cell);
  if (!value || *value != std::floor(*value) || *value < 0 || *value > most_whole)
    return "expected a whole number from 0 to 1000000000 or nothing";
  row.*field = static_cast<int>(*value);
  return std::nullopt;
}

std::optional<std::string> fill(PublishedRow& row, Real field, const std::string& cell) {
  const std::optional<double> value = csv_number(cell);
  if (!value || *value < 0) return "expected a number of 0 or more, or nothing";
  row.*field = *value;
  return std::nullopt;
}

std::optional<std::string> fill(PublishedRow& row, Text field, const std::string& cell) {
  row.*field = cell;
  return std::nullopt;
}

std::optional<std::string> fill(PublishedRow& row, Status, const std::string& cell) {
  static const std::map<std::string, RowStatus> words{
      {"ok", RowStatus::ok}, {"oom", RowStatus::out_of_memory}, {"error", RowStatus::error}};
  const auto found = words.find(cell);
  if (found == words.end()) return "expected ok, oom or error";
  row.status = found->second;
  return std::nullopt;
}

// What it probably is, or what a table of published steps has.
std::string hint(const std::string& unknown) {
  std::vector<std::string_view> names;
  std::string all;
  for (const Column& column : columns()) {
    names.push_back(column.name);
    all += (all.empty() ? "" : ", ") + std::string(column.name);
  }
  if (const auto near = nearest(unknown, names)) return "; did you mean " + in_quotes(*near) + "?";
  return "; published training steps have the columns " + all;
}

// Which field each cell of a row belongs to.
Result<std::vector<const Column*>> order_of(const CsvRow& header, const std::string& file) {
  const std::string place = fmt::format("{}: line {}", file, header.line);
  std::vector<const Column*> order;
  for (const std::string& name : header.cells) {
    const auto found = std::find_if(columns().begin(), columns().end(),
                                    [&](const Column& column) { return column.name == name; });
    if (found == columns().end())
      return Error{place, "column " + in_quotes(name) + " is unknown" + hint(name)};
    if (std::find(order.begin(), order.end(), &*found) != order.end())
      return Error{place, "column \"" + name + "\" stands there twice"};
    order.push_back(&*found);
  }
  for (const Column& column : columns())
    if (std::find(order.begin(), order.end(), &column) == order.end())
      return Error{place, "column \"" + std::string(column.name) + "\" is missing"};
  return order;
}

Result<PublishedRow> row_of(const CsvRow& cells, const std::vector<const Column*>& order,
                            const std::string& file) {
  const std::string place = fmt::format("{}: line {}", file, cells.line);
  if (cells.cells.size() != order.size())
    return Error{place,
                 fmt::format("has {} cells, the header has {}", cells.cells.size(), order.size())};
  PublishedRow row;
  row.file = file;
  row.line = cells.line;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string& cell = cells.cells[i];
    const bool required = std::holds_alternative<Status>(order[i]->field);
    if (cell.empty() && !required) continue;
    const auto wrong =
        std::visit([&](auto field) { return fill(row, field, cell); }, order[i]->field);
    if (wrong)
      return Error{place + ", column \"" + order[i]->name + "\"",
                   *wrong + ", found \"" + cell + "\""};
  }
  if (row.id.empty()) return Error{place + ", column \"id\"", "a row needs a name"};
  return row;
}

}  // namespace

Result<std::vector<PublishedRow>> parse_rows(const std::string& text, const std::string& file) {
  const Result<std::vector<CsvRow>> cells = parse_csv(text, file);
  if (!cells) return cells.error();
  if (cells->empty()) return Error{file, "is empty; expected a header with the names of columns"};
  const auto order = order_of(cells->front(), file);
  if (!order) return order.error();
  std::vector<PublishedRow> rows;
  for (std::size_t i = 1; i < cells->size(); ++i) {
    Result<PublishedRow> row = row_of((*cells)[i], *order, file);
    if (!row) return row.error();
    rows.push_back(std::move(*row));
  }
  return rows;
}

std::optional<double> measured_step(const PublishedRow& row) {
  if (row.status != RowStatus::ok) return std::nullopt;
  if (row.step_time_s && *row.step_time_s > 0) return row.step_time_s;
  if (!row.gbs) return std::nullopt;
  if (row.samples_per_s && *row.samples_per_s > 0) return *row.gbs / *row.samples_per_s;
  if (!row.seq || !row.gpus || !row.tokens_per_s_per_gpu || *row.tokens_per_s_per_gpu <= 0)
    return std::nullopt;
  return static_cast<double>(*row.gbs) * *row.seq / (*row.tokens_per_s_per_gpu * *row.gpus);
}

}  // namespace quintet
