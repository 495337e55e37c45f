// The pages of the window, in the order of their tabs. To add one: its folder beside the others and
// its line in all_pages.cpp.
#pragma once

#include <vector>

#include "gui/pages/page.h"

namespace quintet::gui {

// Owned by the parent.
std::vector<Page*> all_pages(Document& document, QWidget& parent);

}  // namespace quintet::gui
