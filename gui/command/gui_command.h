// `quintet gui`: what it can be asked.
#pragma once

#include <memory>

#include "sim/usage/verb.h"

namespace quintet::gui {

std::unique_ptr<Verb> gui_verb();

}  // namespace quintet::gui
