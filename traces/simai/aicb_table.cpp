#include "traces/simai/aicb_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "traces/simai/schedule.h"

namespace quintet::simai {

namespace {

constexpr std::string_view columns_begin = "comm_type,comm_group,";

struct TableRow {
  int line = 0;
  std::string_view kind, group;  // without "CommType." and "CommGroup."
  std::optional<int> group_size;
  Bytes size;
  std::string_view stage;
  Duration time{-1};
  int count = 1;
};

struct Columns {
  int kind = -1, group = -1, group_size = -1, size = -1, stage = -1, time = -1, count = -1;
};
struct Column {
  std::string_view name;
  int Columns::*member;
};
constexpr std::array known_columns{
    Column{"comm_type", &Columns::kind},
    Column{"comm_group", &Columns::group},
    Column{"comm_group_size", &Columns::group_size},
    Column{"msg_size", &Columns::size},
    Column{"stage", &Columns::stage},
    Column{"_elapsed_time", &Columns::time},
    Column{"count", &Columns::count},
};

std::vector<std::string_view> fields_of(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

template <class Number>
std::optional<Number> number_of(std::string_view word) {
  Number value{};
  const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (wrong != std::errc{} || end != word.data() + word.size()) return {};
  return value;
}

std::string_view without(std::string_view word, std::string_view beginning) {
  return word.starts_with(beginning) ? word.substr(beginning.size()) : word;
}

// "None": not told.
template <class Number>
std::optional<std::string> take(std::optional<Number>& into, std::string_view word,
                                std::string_view column, Number least, Number most) {
  if (word == "None" || word.empty()) return {};
  into = number_of<Number>(word);
  if (into && *into >= least && *into <= most) return {};
  return fmt::format("{}: expected a number, {} to {}, or None; found \"{}\"", column, least, most,
                     word.substr(0, 60));
}

std::optional<std::string> take_row(TableRow& row, const std::vector<std::string_view>& fields,
                                    const Columns& columns) {
  const auto at = [&](int column) { return fields[static_cast<std::size_t>(column)]; };
  row.kind = without(at(columns.kind), "CommType.");
  row.group = without(at(columns.group), "CommGroup.");
  row.stage = at(columns.stage);
  std::optional<double> size, milliseconds;
  std::optional<int> count;
  if (auto wrong = take(row.group_size, at(columns.group_size), "comm_group_size", 1, 1 << 24))
    return wrong;
  if (auto wrong = take(size, at(columns.size), "msg_size", 0.0, 1e18)) return wrong;
  if (auto wrong = take(milliseconds, at(columns.time), "_elapsed_time", 0.0, 1e9)) return wrong;
  if (columns.count >= 0)
    if (auto wrong = take(count, at(columns.count), "count", 0, 100'000)) return wrong;
  row.size = Bytes{size.value_or(0)};
  if (milliseconds) row.time = duration(Seconds{*milliseconds * 1e-3});
  row.count = count.value_or(1);
  return {};
}

std::optional<CollectiveKind> collective_of(std::string_view kind) {
  for (const auto& [word, of] : {std::pair{"all_reduce", CollectiveKind::all_reduce},
                                 std::pair{"all_gather", CollectiveKind::all_gather},
                                 std::pair{"reduce_scatter", CollectiveKind::reduce_scatter},
                                 std::pair{"all_to_all", CollectiveKind::all_to_all},
                                 std::pair{"broadcast", CollectiveKind::broadcast},
                                 std::pair{"reduce", CollectiveKind::reduce}})
    if (kind == word) return of;
  return {};
}

class Table {
 public:
  explicit Table(std::string where) : where_(std::move(where)) {}

  std::optional<Error> read(std::string_view text);
  Result<Workload> last_iteration() const;

 private:
  std::optional<Error> take_line(std::string_view line);
  std::optional<Error> take_columns(const std::vector<std::string_view>& fields);
  Result<StageShape> shape() const;
  Result<int> size_of_group(std::string_view group) const;
  Error at(const std::string& what) const {
    return Error{fmt::format("{}: line {}", where_, line_), what};
  }

  std::string where_;
  int line_ = 0;
  std::size_t fields_ = 0;  // 0: the columns' names have not come
  Columns columns_;
  std::vector<TableRow> rows_;
};

std::optional<Error> Table::take_columns(const std::vector<std::string_view>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i)
    for (const Column& column : known_columns)
      if (column.name == fields[i]) columns_.*column.member = static_cast<int>(i);
  for (const Column& column : known_columns)
    if (columns_.*column.member < 0 && column.member != &Columns::count)
      return at(fmt::format("has no column {}; expected AICB's", column.name));
  fields_ = fields.size();
  return {};
}

std::optional<Error> Table::take_line(std::string_view line) {
  // "[rank0 ~ rank127]" says for whom it is.
  if (line.empty() || line == "\r" || (fields_ == 0 && line.starts_with('['))) return {};
  const std::vector<std::string_view> fields = fields_of(line);
  if (fields_ == 0) return take_columns(fields);
  if (fields.size() != fields_)
    return at(fmt::format("has {} fields; expected {}: the file is cut off or damaged",
                          fields.size(), fields_));
  TableRow& row = rows_.emplace_back();
  row.line = line_;
  if (const auto wrong = take_row(row, fields, columns_)) return at(*wrong);
  return {};
}

std::optional<Error> Table::read(std::string_view text) {
  while (!text.empty()) {
    ++line_;
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto wrong = take_line(text.substr(0, end))) return wrong;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!rows_.empty()) return {};
  return Error{where_, "has no rows; expected a collective in each"};
}

// 1: no row is of it.
Result<int> Table::size_of_group(std::string_view group) const {
  int size = 0;
  for (const TableRow& row : rows_) {
    if (row.group != group || !row.group_size) continue;
    if (size != 0 && *row.group_size != size)
      return Error{fmt::format("{}: line {}", where_, row.line),
                   fmt::format("{} has {} ranks, and {} before; expected one size", group,
                               *row.group_size, size)};
    size = *row.group_size;
  }
  return std::max(size, 1);
}

Result<StageShape> Table::shape() const {
  const Result<int> tensor = size_of_group("tp_group"), data = size_of_group("dp_group"),
                    expert = size_of_group("ep_group");
  for (const Result<int>* of : {&tensor, &data, &expert})
    if (!*of) return of->error();
  if (*data % *expert != 0)
    return Error{where_, fmt::format("has experts' groups of {} ranks and data groups of {}; "
                                     "expected a multiple",
                                     *expert, *data)};
  constexpr int most = 1 << 24;
  if (*tensor > most / *data) return Error{where_, "is of more ranks than there are"};
  return StageShape{*tensor * *data, *tensor, *expert};
}

std::optional<StageGroup> stage_group(std::string_view group, const StageShape& shape) {
  if (group == "tp_group") return StageGroup::tensor;
  if (group == "dp_group") return StageGroup::data;
  if (group == "ep_group" && shape.expert > 1) return StageGroup::expert;
  return {};
}

Result<Workload> Table::last_iteration() const {
  const Result<StageShape> of = shape();
  if (!of) return of.error();
  const auto is_end = [](const TableRow& row) { return row.kind == "epoch_end"; };
  auto end = std::find_if(rows_.rbegin(), rows_.rend(), is_end);
  const auto ends = std::count_if(rows_.begin(), rows_.end(), is_end);
  if (end == rows_.rend()) end = rows_.rbegin();  // one that does not end
  const auto last = ends == 0 ? rows_.end() : std::prev(end.base());
  auto first = last;
  while (first != rows_.begin() && !is_end(*std::prev(first))) --first;
  std::size_t steps = 0;
  for (auto row = first; row != last; ++row) steps += static_cast<std::size_t>(row->count);
  if (auto wrong = too_much(steps, of->ranks, where_)) return *wrong;
  ScheduleBuilder builder(*of);
  std::int64_t untold = 0;
  for (auto row = first; row != last; ++row) {
    const auto kind = collective_of(row->kind);
    const auto group = stage_group(row->group, *of);
    const std::string name(row->stage.empty() ? row->kind : row->stage);
    for (int i = 0; i < row->count; ++i) {
      if (!kind || !group) {
        ++untold;
        builder.host(name, row->time, fmt::format("{} over {}", row->kind, row->group));
        continue;
      }
      const std::int32_t step = builder.collective(name, *kind, *group, row->size);
      builder.took(step, row->time);
      builder.wait(step);
    }
  }
  Result<Workload> workload = for_all_ranks(builder.take(), *of, where_);
  if (!workload) return workload;
  if (ends > 1)
    workload->remarks.push_back(
        {fmt::format("the last of {} iterations, the first of which is "
                     "the start; its computation is not told",
                     ends)});
  if (untold > 0)
    workload->remarks.push_back({fmt::format(
        "{} rows of each rank are of a kind that is no collective, or of a group whose "
        "ranks are not told: they take what was measured and wait for nobody",
        untold)});
  return workload;
}

}  // namespace

bool is_aicb_table(std::string_view beginning) {
  if (beginning.starts_with("[rank")) {
    const std::size_t end = beginning.find('\n');
    if (end == std::string_view::npos) return false;
    beginning.remove_prefix(end + 1);
  }
  return beginning.starts_with(columns_begin);
}

Result<Workload> parse_aicb_table(std::string_view text, const std::string& where) {
  Table table(where);
  if (auto wrong = table.read(text)) return *wrong;
  return table.last_iteration();
}

}  // namespace quintet::simai
