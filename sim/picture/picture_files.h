// Drawings as files: of --html FILE and --svg FOLDER.
#pragma once

#include <optional>
#include <string>

#include "sim/base/result.h"
#include "sim/picture/page.h"

namespace quintet {

struct PictureFiles {
  std::string html;  // a page; empty: none
  std::string svg;   // a folder for each drawing, made where there is none; empty: none
  bool wanted() const { return !html.empty() || !svg.empty(); }
};

// Nothing wrong as far as can be seen beforehand: better known before the work than after it. Makes
// the folder. The error names the option.
std::optional<Error> no_place_for(const PictureFiles& files);

// The page, and NAME.svg of each of its pictures, in the place of what was there. The error names
// the file that cannot be written, and says why.
std::optional<Error> write_pictures(const PictureFiles& files, const Page& page);

}  // namespace quintet
