// What can be compared: the scenario now, the one before, everything kept, the recording.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "gui/document/document.h"
#include "sim/explain/breakdown.h"
#include "sim/timeline/timeline.h"

namespace quintet::gui {

enum class ColumnKind { now, before, kept, recording };

struct CompareColumn {
  ColumnKind kind = ColumnKind::now;
  std::size_t number = 0;              // of Document::kept()
  QString key;                         // stays the same while it is there: "now", "kept:first"
  QString name, note;                  // for people; the note says what it is
  std::optional<Scenario> scenario;    // none: a recording
  const Outcome* outcome = nullptr;    // valid as Document's are
  const Timeline* timeline = nullptr;  // null: there is none (yet)
  std::optional<RankBreakdown> mean;   // none likewise
  QString state;                       // why there is none
  bool ready() const { return timeline != nullptr && mean.has_value(); }
};

// `recorded`: the mean breakdown of the document's recording, once it is known.
std::vector<CompareColumn> compare_columns(const Document& document,
                                           const std::optional<RankBreakdown>& recorded);

}  // namespace quintet::gui
