// What a plan comes to, as others see it.
#pragma once

#include "quintet/predict.h"
#include "sim/answer/answer.h"

namespace quintet::api {

Numbers shown_numbers(const Answer& answer);

}  // namespace quintet::api
