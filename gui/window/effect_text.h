// An edit and what it did to the step, in a line: "Fail leaf0: 8761.1 -> 9120.4 ms (+4.1 %)".
#pragma once

#include <QString>

#include "gui/document/document.h"

namespace quintet::gui {

QString effect_text(const Effect& effect);

}  // namespace quintet::gui
