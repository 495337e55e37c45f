// What a number of a cost table rests on, from the firmest to the weakest.
#pragma once

#include <string_view>

namespace quintet {

enum class Evidence {
  measured,   // on the machine itself, by quintet calibrate or quintet fit
  published,  // somebody's measurements of this very card
  borrowed,   // measured on another card, or at other work, and carried over
  guessed,    // assumed, or nothing says where it is from
};

// The word of costs.json; empty beyond the last.
constexpr std::string_view name_of(Evidence evidence) {
  switch (evidence) {
    case Evidence::measured:
      return "measured";
    case Evidence::published:
      return "published";
    case Evidence::borrowed:
      return "borrowed";
    case Evidence::guessed:
      return "guessed";
  }
  return {};
}

// What a fit rests on: forward and backward passes may rest on different things, as where the
// products' gradients were never measured on a card whose forward products were.
struct PassEvidence {
  Evidence forward = Evidence::guessed;
  Evidence backward = Evidence::guessed;
  bool operator==(const PassEvidence&) const = default;
};

}  // namespace quintet
