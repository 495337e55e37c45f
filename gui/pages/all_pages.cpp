#include "gui/pages/all_pages.h"

#include "gui/pages/compare/compare_page.h"
#include "gui/pages/sweep/sweep_page.h"
#include "gui/widgets/owned.h"

namespace quintet::gui {

std::vector<Page*> all_pages(Document& document, QWidget& parent) {
  return {&owned<ComparePage>(document, &parent), &owned<SweepPage>(document, &parent)};
}

}  // namespace quintet::gui
