// Random plans, made such that a framework has words for all of them.
#pragma once

#include "tests/support/random_plans.h"

namespace quintet::test {

// What Megatron-LM cannot say becomes what it does.
Plan sayable_for_megatron(Plan plan);
Plan sayable_for_torchtitan(Plan plan);
Plan sayable_for_deepspeed(Plan plan);
Plan sayable_for_nemo(Plan plan);

}  // namespace quintet::test
