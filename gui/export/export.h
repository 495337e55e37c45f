// Pictures and tables as files, from the window and without a display alike.
#pragma once

#include <QAbstractItemModel>
#include <QSize>
#include <QString>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/pages/page.h"
#include "sim/base/result.h"

namespace quintet::gui {

enum class ExportFormat { png, svg, csv };
std::string_view name_of(ExportFormat format);  // else empty

struct ExportWish {
  std::filesystem::path folder;  // made where it is missing
  std::vector<ExportFormat> formats{ExportFormat::png, ExportFormat::svg, ExportFormat::csv};
  QSize size{1600, 900};  // of pictures; PNG in pixels
};

// The files written, "PAGE-NAME.png" and so on. What a page has no picture or no table of is left
// out. The error names the file and says why.
Result<std::vector<std::filesystem::path>> export_page(Page& page, const ExportWish& wish);

// One file, of the kind that its ending says. The error says which endings there are.
std::optional<Error> export_file(const Exported& what, const std::filesystem::path& file,
                                 QSize size);

// A header line and a line per row, trees depth first with a first column "level".
std::string csv_text(const QAbstractItemModel& table);

}  // namespace quintet::gui
