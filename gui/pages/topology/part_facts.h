// What there is to say of a box or a bundle of a machine's picture.
#pragma once

#include <optional>
#include <vector>

#include "gui/document/document.h"
#include "gui/pages/topology/part_panel.h"
#include "gui/topology/fabric_picture.h"

namespace quintet::gui {

// `outcome`: whose loads the picture has; null: none. `range`: of the step that it shows.
std::vector<Fact> facts_of_box(const FabricPicture& picture, int box);
// Of one link, and both directions of its cable.
std::vector<Fact> facts_of_cable(const FabricPicture& picture, const NamedPlace& place,
                                 const Outcome* outcome, const std::optional<TimeRange>& range);

}  // namespace quintet::gui
