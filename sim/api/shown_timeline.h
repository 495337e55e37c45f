// A timeline as others see it.
#pragma once

#include "quintet/timeline.h"
#include "sim/timeline/timeline.h"

namespace quintet::api {

Timeline shown_timeline(const quintet::Timeline& timeline);

}  // namespace quintet::api
