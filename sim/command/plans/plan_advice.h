// `quintet plan advise`: what the decisions of a plan are worth, what limits it, what would help.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/advice/advice.h"
#include "sim/command/inputs.h"
#include "sim/picture/picture_files.h"

namespace quintet {

struct AdviceWish {
  std::string prices;     // file; empty: the shipped one, where it is there
  PictureFiles pictures;  // a page, a folder of drawings
  int threads = 0;        // 0: one per core
  bool json = false;
};

// Of the first plan; the others are runner-ups. Told on standard error how far it is.
Result<Advice> advice_on(const AdviceWish& wish, const InputNames& names, const Inputs& inputs);

// As text or JSON, and the page where it is wanted; the error is of a file that cannot be written.
std::optional<Error> print_advice(const AdviceWish& wish, const Advice& advice);

}  // namespace quintet
