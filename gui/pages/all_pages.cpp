#include "gui/pages/all_pages.h"

#include "gui/pages/calibration/calibration_page.h"
#include "gui/pages/compare/compare_page.h"
#include "gui/pages/plan/plan_page.h"
#include "gui/pages/sweep/sweep_page.h"
#include "gui/pages/timeline/timeline_page.h"
#include "gui/pages/topology/topology_page.h"
#include "gui/widgets/owned.h"

namespace quintet::gui {

std::vector<Page*> all_pages(Document& document, QWidget& parent) {
  return {
      &owned<TopologyPage>(document, &parent),
      &owned<PlanPage>(document, &parent),
      &owned<TimelinePage>(document, &parent),
      &owned<ComparePage>(document, &parent),
      &owned<SweepPage>(document, &parent),
      &owned<CalibrationPage>(document, &parent),
  };
}

}  // namespace quintet::gui
