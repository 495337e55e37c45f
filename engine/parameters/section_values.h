// Values of a section's elements, as they lie, out of the model's tensors: tile by tile by several
// threads, so that a rank fills in its share with all its cores and nothing but tiles is in memory
// twice.
#pragma once

#include <optional>
#include <span>

#include "engine/files/weights/box_source.h"
#include "engine/parameters/parameter_layout.h"

namespace quintet::engine {

struct Filling {
  BoxSource source;
  int threads = 1;  // that ask it at once
  // Elements at most: 64 MiB go to a device at once, whatever the model; 2 MiB are asked for.
  Index slice = Index{1} << 24, tile = Index{1} << 19;
};

// Elements place .. place + stretch.size() - 1 of the section; padding is 0. The first error that
// the source gave, of whichever tile.
std::optional<Error> fill(const Section& section, Index place, std::span<float> stretch,
                          const Filling& how);

}  // namespace quintet::engine
