// From tables and searches to bars.
#include "gui/pages/timeline/timeline_page.h"

namespace quintet::gui {

void TimelinePage::search() {
  search_later_.stop();
  match_ = -1;
  if (timeline_->scene() == nullptr) return;
  found_ = found_bars(*timeline_->scene(), search_->text());
  timeline_->set_matched(found_.matched);
  tables_.show_matches(*timeline_->scene(), found_);
  if (!found_.wrong.isEmpty()) emit document().failed("Search: " + found_.wrong);
  const bool asked = !search_->text().simplified().isEmpty();
  search_state_->setText(!found_.wrong.isEmpty() ? QString("not understood")
                         : asked                 ? QString("%L1 found").arg(found_.bars.size())
                                                 : QString());
  if (asked && search_->hasFocus()) details_->setCurrentIndex(4);
}

void TimelinePage::go_to_match(int by) {
  if (search_later_.isActive()) search();
  const auto count = static_cast<int>(found_.bars.size());
  if (count == 0) return;
  match_ = match_ < 0 && by < 0 ? count - 1 : (match_ + by + count) % count;
  timeline_->select(found_.bars[static_cast<std::size_t>(match_)]);
  search_state_->setText(QString("%L1 of %L2").arg(match_ + 1).arg(count));
  matches_view_->selectRow(match_);
}

void TimelinePage::go_to_piece(int row) {
  if (timeline_->scene() == nullptr) return;
  auto left = static_cast<std::size_t>(row);
  for (const SceneSource& source : timeline_->scene()->sources) {
    if (left >= source.path.size()) {
      left -= source.path.size();
      continue;
    }
    const PathPiece& piece = source.path[left];
    if (piece.span >= 0)
      return timeline_->select(source.bar_of_span[static_cast<std::size_t>(piece.span)]);
    const Instant from = piece.from + source.shift, to = piece.to + source.shift;
    return timeline_->set_window(
        showing(timeline_->view().window, from, to, timeline_->scene()->whole));
  }
}

// To its longest piece.
void TimelinePage::go_to_share(int row) {
  if (timeline_->scene() == nullptr) return;
  auto left = static_cast<std::size_t>(row);
  int before = 0;
  for (const SceneSource& source : timeline_->scene()->sources) {
    if (left >= source.path_shares.size()) {
      left -= source.path_shares.size();
      before += static_cast<int>(source.path.size());
      continue;
    }
    return go_to_piece(before + static_cast<int>(longest_piece(source.timeline, source.path,
                                                               source.path_shares[left])));
  }
}

}  // namespace quintet::gui
