#include "sim/command/sweep/sweep_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/asked/swept_values.h"
#include "sim/picture/heat_map.h"
#include "sim/picture/line_plot.h"

namespace quintet {

namespace {

constexpr const char* not_fitting = "does not fit in memory";
std::optional<ShownNumber> shown_value(const SweepRow& row, Figure figure) {
  const auto value = value_of(row, figure);
  if (!value) return std::nullopt;
  return ShownNumber{*value, number_text(value, figure), fmt::format("{}", *value)};
}

bool any_does_not_fit(const Sweep& sweep) {
  return std::any_of(sweep.rows.begin(), sweep.rows.end(),
                     [](const SweepRow& row) { return row.made.answer && !row.made.fits(); });
}

// "mfu", of a file.
std::string file_word(Figure figure) {
  switch (figure) {
    case Figure::step:
      return "step";
    case Figure::mfu:
      return "mfu";
    case Figure::memory:
      return "memory";
    case Figure::cost:
      return "rent";
    case Figure::energy:
      return "energy";
  }
  return "";
}

std::string title_of(const Sweep& sweep, Figure figure) {
  std::string names;
  for (const SweptField& field : sweep.fields)
    names += (names.empty() ? "" : " and ") + short_name(field);
  return fmt::format("{} by {}", name_of(figure), names);
}

// The first field across, every combination of the others a line.
Picture line_picture(const Sweep& sweep, Figure figure) {
  const SweptField& across = sweep.fields.front();
  const auto scaled = to_scale(across.values);
  LinePlot plot{"lines-" + file_word(figure),
                title_of(sweep, figure),
                short_name(across) + (scaled && !scaled->unit.empty() ? ", " + scaled->unit : ""),
                fmt::format("{}, {}", name_of(figure), unit_of(figure)),
                {}};
  if (!scaled)
    plot.words = across.values;
  else if (scaled->numbers.size() <= 10)
    plot.ticks_at = scaled->numbers;
  plot.ring_means = not_fitting;
  const std::size_t lines = sweep.rows.size() / across.values.size();
  for (std::size_t line = 0; line < lines; ++line) {
    const std::vector<std::string>& values = sweep.rows[line].values;
    PlottedLine drawn{case_text({sweep.fields.begin() + 1, sweep.fields.end()},
                                {values.begin() + 1, values.end()}),
                      {}};
    for (std::size_t i = 0; i < across.values.size(); ++i) {
      const SweepRow& row = sweep.rows[i * lines + line];
      const auto value = shown_value(row, figure);
      const double x = scaled ? scaled->numbers[i] : static_cast<double>(i);
      drawn.points.push_back(value ? std::optional(PlottedPoint{x, *value, row.made.fits()})
                                   : std::nullopt);
    }
    plot.lines.push_back(std::move(drawn));
  }
  return draw(plot);
}

Picture heat_picture(const Sweep& sweep, Figure figure) {
  const SweptField &down = sweep.fields[0], &across = sweep.fields[1];
  HeatMap map{"map-" + file_word(figure),
              title_of(sweep, figure),
              fmt::format("{}, {}", name_of(figure), unit_of(figure)),
              short_name(down),
              short_name(across),
              down.values,
              across.values,
              {}};
  for (std::size_t row = 0; row < down.values.size(); ++row) {
    std::vector<HeatCell>& cells = map.cells.emplace_back();
    for (std::size_t column = 0; column < across.values.size(); ++column) {
      const SweepRow& at = sweep.rows[row * across.values.size() + column];
      cells.push_back({shown_value(at, figure), at.made.fits(), at.made.reason});
    }
  }
  if (const auto best = best_row(sweep, figure))
    map.best = {*best / across.values.size(), *best % across.values.size()};
  if (any_does_not_fit(sweep)) map.brackets_mean = not_fitting;
  Picture picture = draw(map);
  picture.notes.insert(picture.notes.begin(), "The frame is around the best that fits.");
  return picture;
}

ReportSection table_of(const Sweep& sweep, Figure figure) {
  ReportSection section{"All cases", {}, {}};
  TextRow heads;
  for (const SweptField& field : sweep.fields) heads.push_back(short_name(field));
  const std::vector<Figure> figures = known_figures(sweep);
  for (const Figure each : figures)
    heads.push_back(fmt::format("{} {}", name_of(each), unit_of(each)));
  heads.push_back("remark");
  section.table.push_back(heads);
  const auto best = best_row(sweep, figure);
  for (std::size_t at = 0; at < sweep.rows.size(); ++at) {
    const SweepRow& row = sweep.rows[at];
    TextRow line = row.values;
    for (const Figure each : figures) {
      const auto value = shown_value(row, each);
      line.push_back(value ? value->text : "-");
    }
    line.push_back(best == at ? "best" : row.made.reason);
    section.table.push_back(std::move(line));
  }
  return section;
}

}  // namespace

std::vector<Picture> sweep_pictures(const Sweep& sweep) {
  std::vector<Picture> pictures;
  for (const Figure figure : known_figures(sweep)) {
    pictures.push_back(line_picture(sweep, figure));
    if (sweep.fields.size() == 2) pictures.push_back(heat_picture(sweep, figure));
  }
  return pictures;
}

Page sweep_page(const Sweep& sweep, Figure figure) {
  std::string fields;
  for (const SweptField& field : sweep.fields)
    fields += (fields.empty() ? "" : ", ") + name_text(field);
  return {"Sweep over " + fields,
          {"Model: " + sweep.model, "Machine: " + sweep.machine,
           fmt::format("{} cases.", sweep.rows.size())},
          {},
          sweep_pictures(sweep),
          {table_of(sweep, figure)}};
}

}  // namespace quintet
