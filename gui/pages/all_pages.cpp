#include "gui/pages/all_pages.h"

#include "gui/pages/calibration/calibration_page.h"
#include "gui/widgets/owned.h"

namespace quintet::gui {

std::vector<Page*> all_pages(Document& document, QWidget& parent) {
  return {&owned<CalibrationPage>(document, &parent)};
}

}  // namespace quintet::gui
