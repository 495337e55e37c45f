// Bars by words: "attention forward", "layer:3 rank:256", "collective".
#pragma once

#include <QString>
#include <vector>

#include "gui/timeline/scene.h"

namespace quintet::gui {

struct FoundBars {
  std::vector<std::uint32_t> bars;  // in order of time
  std::vector<bool> matched;        // by bar; empty where nothing was asked
  QString wrong;                    // what of the words is not understood; empty: nothing
};

// Every plain word must be in the name, kind, phase, axis or lane; "layer:", "micro-batch:" (or
// "mb:"), "rank:" and "stage:" with a number must be met; "longer:1ms" leaves out what is shorter.
FoundBars found_bars(const Scene& scene, const QString& words);

}  // namespace quintet::gui
