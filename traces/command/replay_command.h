// `quintet replay`: other programs' traces and our own, walked again.
#pragma once

#include <memory>

#include "sim/usage/verb.h"

namespace quintet {

std::unique_ptr<Verb> replay_verb();

}  // namespace quintet
