#include "gui/pages/all_pages.h"

#include "gui/pages/topology/topology_page.h"
#include "gui/widgets/owned.h"

namespace quintet::gui {

std::vector<Page*> all_pages(Document& document, QWidget& parent) {
  return {&owned<TopologyPage>(document, &parent)};
}

}  // namespace quintet::gui
