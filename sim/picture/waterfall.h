// From one number to another, step by step: what each cause added or took.
#pragma once

#include <string>
#include <vector>

#include "sim/picture/canvas.h"
#include "sim/picture/picture.h"

namespace quintet {

struct WaterfallChange {
  std::string name;
  ShownNumber amount;  // with its sign
};

struct Waterfall {
  std::string name, title, unit;
  std::string from_name, to_name;
  ShownNumber from, to;  // from and all changes sum to `to`
  std::vector<WaterfallChange> changes;
  std::string longer = "longer than predicted", shorter = "shorter";  // for the notes
};

// The first eleven changes; the others are one, their sum, written with `decimals`. What is added
// goes right and is striped, what is taken goes left and is not. The axis does not begin at 0 where
// the changes are small beside the numbers, and says so.
Picture draw(const Waterfall& waterfall, int decimals);

}  // namespace quintet
