// The fields that can be varied, as their files' readers describe them.
#pragma once

#include <string>
#include <vector>

namespace quintet::gui {

struct FieldOffer {
  std::string path;     // as --set names it: "parallelism.tensor", "topology.network.trunk.latency"
  std::string meaning;  // a sentence
  std::string accepts;  // "a whole number from 1 to 1048576"
  std::string usual;    // what it is when its file leaves it out; empty: nothing, or as others say
  std::vector<std::string> words;  // of a closed set, or true and false
};

// Of plan and machine, without texts, lists and objects, in their files' order.
std::vector<FieldOffer> field_offers();

}  // namespace quintet::gui
