#include "gui/pages/sweep/sweep_plots.h"

#include <algorithm>
#include <array>

#include "gui/scenario/sweep/sweep_pareto.h"
#include "sim/asked/swept_values.h"

namespace quintet::gui {

namespace {

constexpr std::array all_figures{Figure::step, Figure::mfu, Figure::memory, Figure::cost,
                                 Figure::energy};
// Yellow is left for bars: it is too bright for lines.
constexpr std::array series_looks{Look::blue,   Look::vermillion, Look::green, Look::purple,
                                  Look::orange, Look::sky,        Look::grey};

QString text(std::string_view words) {
  return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

struct FieldAxis {
  PlotAxis axis;
  std::vector<double> at;  // per value
};

FieldAxis axis_of(const SweptField& field) {
  FieldAxis made;
  made.axis.name = text(short_name(field));
  if (const auto scaled = to_scale(field.values)) {
    made.axis.unit = text(scaled->unit);
    made.at = scaled->numbers;
    if (made.at.size() <= 12) made.axis.at = made.at;
    return made;
  }
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    made.axis.words.push_back(text(field.values[i]));
    made.at.push_back(static_cast<double>(i));
  }
  return made;
}

std::size_t value_number(const SweptField& field, const std::string& value) {
  return static_cast<std::size_t>(std::find(field.values.begin(), field.values.end(), value) -
                                  field.values.begin());
}

PointState state_of(const SweepPoint& point, Figure figure) {
  if (!value_of(point, figure)) return PointState::missing;
  return point.fits() ? PointState::usual : PointState::hollow;
}

PlotPoint point_of(const SweepShown& shown, std::size_t number, Figure y, std::size_t panel) {
  const SweepPoint& point = shown.points[number];
  PlotPoint made;
  made.y = value_of(point, y).value_or(0.0);
  made.tip = tip_of(shown, number);
  made.id = static_cast<int>(panel) * marks_per_panel + shown.numbers[number];
  made.state = state_of(point, y);
  made.current = point.what.scenario == shown.current;
  return made;
}

QString title_of(Figure figure) {
  return text(name_of(figure)) + ", " + text(unit_of(figure));
}

std::vector<PlotSeries> empty_series(const SweepWish& wish) {
  if (wish.fields.size() < 2) return {{"", Look::blue, {}, true}};
  std::vector<PlotSeries> all;
  for (const std::string& value : wish.fields[1].values)
    all.push_back({text(short_name(wish.fields[1]) + " " + value),
                   series_looks[all.size() % series_looks.size()],
                   {},
                   true});
  return all;
}

constexpr const char* nothing_yet =
    "Choose what varies and its values, then run the sweep (Ctrl+R).";

XyPlot pareto_panel(Figure x, Figure y) {
  XyPlot plot;
  plot.x = {text(name_of(x)), text(unit_of(x)), {}, false, {}};
  plot.y = {text(name_of(y)), text(unit_of(y)), {}, false, {}};
  const QString side = less_is_better(x) ? "left" : "right";
  plot.hint = QString("better: towards the %1 %2").arg(less_is_better(y) ? "lower" : "upper", side);
  plot.series = {{"front: nothing is better in both", Look::blue, {}, true},
                 {"something is better", Look::grey, {}, false},
                 {"does not fit into the memory", Look::vermillion, {}, false}};
  return plot;
}

}  // namespace

QString tip_of(const SweepShown& shown, std::size_t number) {
  const SweepPoint& point = shown.points[number];
  QStringList lines{text(case_text(shown.wish, point.what))};
  for (const Figure figure : all_figures)
    if (value_of(point, figure))
      lines << QString("%1: %2").arg(text(name_of(figure)), text(text_of(point, figure)));
  if (!point.reason.empty())
    lines << (point.answer ? "does not fit: " : "cannot be: ") + text(point.reason).left(400);
  lines << "Enter or a click opens it";
  return lines.join("\n");
}

std::vector<Figure> known_figures(const std::vector<SweepPoint>& points) {
  std::vector<Figure> known;
  for (const Figure figure : all_figures)
    if (std::any_of(points.begin(), points.end(),
                    [&](const SweepPoint& point) { return value_of(point, figure).has_value(); }))
      known.push_back(figure);
  return known;
}

XyPanels sweep_lines(const SweepShown& shown, const std::vector<Figure>& figures) {
  XyPanels panels{{}, nothing_yet};
  if (shown.points.empty()) return panels;
  const FieldAxis axis = axis_of(shown.wish.fields.front());
  for (const Figure figure : figures) {
    XyPlot plot{title_of(figure), axis.axis, {"", "", {}, false, {}}, empty_series(shown.wish), {}};
    for (std::size_t i = 0; i < shown.points.size(); ++i) {
      const std::vector<std::string>& values = shown.points[i].what.values;
      PlotPoint point = point_of(shown, i, figure, panels.panels.size());
      point.x = axis.at[value_number(shown.wish.fields[0], values[0])];
      const std::size_t line =
          values.size() < 2 ? 0 : value_number(shown.wish.fields[1], values[1]);
      plot.series[line].points.push_back(std::move(point));
    }
    panels.panels.push_back(std::move(plot));
  }
  return panels;
}

HeatMap sweep_heat(const SweepShown& shown, Figure figure) {
  HeatMap map;
  map.empty = nothing_yet;
  if (shown.points.empty()) return map;
  map.title = title_of(figure);
  map.less_is_better = less_is_better(figure);
  const std::vector<SweptField>& fields = shown.wish.fields;
  map.x_name = text(short_name(fields[0]));
  for (const std::string& value : fields[0].values) map.x.push_back(text(value));
  map.y = {""};
  if (fields.size() > 1) {
    map.y.clear();
    map.y_name = text(short_name(fields[1]));
    for (const std::string& value : fields[1].values) map.y.push_back(text(value));
  }
  map.cells.assign(map.x.size() * map.y.size(), {{}, "...", "not predicted yet", -1, true, false});
  for (std::size_t i = 0; i < shown.points.size(); ++i) {
    const SweepPoint& point = shown.points[i];
    const std::size_t column = value_number(fields[0], point.what.values[0]);
    const std::size_t row = fields.size() < 2 ? 0 : value_number(fields[1], point.what.values[1]);
    const auto value = value_of(point, figure);
    map.cells[row * map.x.size() + column] = {value,
                                              value
                                                  ? text(text_of(point, figure)).section(' ', 0, 0)
                                                  : QString(point.answer ? "-" : "cannot be"),
                                              tip_of(shown, i),
                                              shown.numbers[i],
                                              point.fits(),
                                              point.what.scenario == shown.current};
  }
  return map;
}

XyPanels sweep_pareto(const SweepShown& shown, Figure x, Figure y) {
  XyPanels panels{{}, nothing_yet};
  if (shown.points.empty()) return panels;
  const std::vector<bool> front = sweep_front(shown.points, x, y);
  XyPlot plot = pareto_panel(x, y);
  for (std::size_t i = 0; i < shown.points.size(); ++i) {
    const auto at = value_of(shown.points[i], x);
    if (!at || !value_of(shown.points[i], y)) continue;
    PlotPoint point = point_of(shown, i, y, 0);
    point.x = *at;
    const bool fits = shown.points[i].fits();
    if (fits && !front[i]) point.state = PointState::faded;
    if (fits && front[i]) point.label = text(case_text(shown.wish, shown.points[i].what));
    plot.series[!fits ? 2 : front[i] ? 0 : 1].points.push_back(std::move(point));
  }
  std::erase_if(plot.series, [](const PlotSeries& series) { return series.points.empty(); });
  if (plot.series.empty()) {
    panels.empty =
        "No point has both figures: the machine's file has no price or no power, or "
        "nothing could be predicted.";
    return panels;
  }
  panels.panels.push_back(std::move(plot));
  return panels;
}

TableRows sweep_table(const SweepShown& shown) {
  TableRows table;
  for (const SweptField& field : shown.wish.fields) table.header << text(short_name(field));
  const std::vector<Figure> figures = known_figures(shown.points);
  for (const Figure figure : figures) table.header << title_of(figure);
  table.header << "fits";
  for (std::size_t i = 0; i < shown.points.size(); ++i) {
    const SweepPoint& point = shown.points[i];
    TableRow row;
    for (const std::string& value : point.what.values) row.cells << text(value);
    for (const Figure figure : figures)
      row.cells << text(text_of(point, figure)).section(' ', 0, 0);
    row.cells << (point.fits() ? QString("yes") : "no: " + text(point.reason));
    row.strong = point.what.scenario == shown.current;
    row.tip = tip_of(shown, i);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace quintet::gui
