#include "gui/models/compare_columns.h"

#include <utility>

namespace quintet::gui {

namespace {

QString text(const std::string& words) {
  return QString::fromStdString(words);
}

void fill(CompareColumn& column, const Outcome* outcome) {
  column.outcome = outcome;
  if (outcome == nullptr) {
    if (column.state.isEmpty()) column.state = "is being predicted";
    return;
  }
  if (!outcome->predicted()) {
    column.state = "cannot be: " + text(outcome->refused->error.text());
    return;
  }
  column.timeline = &outcome->prediction().timeline;
  column.mean = outcome->prediction().mean;
}

CompareColumn column_now(const Document& document) {
  CompareColumn column;
  column.key = "now";
  column.name = "Now";
  column.scenario = document.scenario();
  column.note = text(difference_text(document.scenario()));
  // Until it is predicted, the step before the edit would be a lie under this name.
  if (document.error() && document.outdated()) column.state = text(document.error()->text());
  fill(column, document.outdated() ? nullptr : document.outcome());
  return column;
}

CompareColumn column_before(const Outcome& earlier) {
  CompareColumn column;
  column.kind = ColumnKind::before;
  column.key = "before";
  column.name = "Before";
  column.scenario = earlier.scenario;
  column.note = text(difference_text(earlier.scenario));
  fill(column, &earlier);
  return column;
}

CompareColumn column_kept(const Kept& kept, std::size_t number) {
  CompareColumn column;
  column.kind = ColumnKind::kept;
  column.number = number;
  column.name = text(kept.what.name);
  column.key = "kept:" + column.name;
  column.scenario = kept.what.scenario;
  column.note = text(difference_text(kept.what.scenario));
  if (kept.error) column.state = text(kept.error->text());
  fill(column, kept.outcome);
  return column;
}

CompareColumn column_recording(const Document& document,
                               const std::optional<RankBreakdown>& recorded) {
  CompareColumn column;
  column.kind = ColumnKind::recording;
  column.key = "recording";
  column.name = "Recording";
  column.note = text(document.session().recording);
  column.timeline = document.recording();
  column.mean = recorded;
  if (!recorded) column.state = "is being summed up";
  return column;
}

}  // namespace

std::vector<CompareColumn> compare_columns(const Document& document,
                                           const std::optional<RankBreakdown>& recorded) {
  std::vector<CompareColumn> columns{column_now(document)};
  if (document.earlier() != nullptr) columns.push_back(column_before(*document.earlier()));
  for (std::size_t i = 0; i < document.kept().size(); ++i)
    columns.push_back(column_kept(document.kept()[i], i));
  if (document.recording() != nullptr) columns.push_back(column_recording(document, recorded));
  return columns;
}

}  // namespace quintet::gui
