#include "gui/export/export.h"

#include <QBuffer>
#include <QImage>
#include <QSvgGenerator>
#include <system_error>

#include "sim/base/csv.h"
#include "sim/command/output_files.h"

namespace quintet::gui {

namespace fs = std::filesystem;

namespace {

bool is_tree(const QAbstractItemModel& table) {
  for (int row = 0; row < table.rowCount(); ++row)
    if (table.hasChildren(table.index(row, 0))) return true;
  return false;
}

std::string field(const QString& text) {
  const std::string plain = text.toStdString();
  if (plain.find_first_of(",\"\n\r") == std::string::npos) return plain;
  std::string quoted = "\"";
  for (const char letter : plain)
    quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

void add_rows(std::string& text, const QAbstractItemModel& table, const QModelIndex& parent,
              std::optional<int> level) {
  for (int row = 0; row < table.rowCount(parent); ++row) {
    if (level) text += std::to_string(*level) + ",";
    for (int column = 0; column < table.columnCount(parent); ++column)
      text += (column == 0 ? "" : ",") +
              field(table.index(row, column, parent).data(Qt::DisplayRole).toString());
    text += "\n";
    if (level) add_rows(text, table, table.index(row, 0, parent), *level + 1);
  }
}

QByteArray png_of(const Exported& what, QSize size) {
  QImage image(size, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::white);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  what.paint(painter, QSizeF(size));
  painter.end();
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  image.save(&buffer, "PNG");
  return bytes;
}

QByteArray svg_of(const Exported& what, QSize size) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setSize(size);
  generator.setViewBox(QRect(QPoint(0, 0), size));
  generator.setTitle(what.title);
  QPainter painter(&generator);
  what.paint(painter, QSizeF(size));
  painter.end();
  return bytes;
}

std::optional<Error> write(const fs::path& file, const QByteArray& bytes) {
  return write_file(file, std::string(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

}  // namespace

std::string_view name_of(ExportFormat format) {
  switch (format) {
    case ExportFormat::png:
      return "png";
    case ExportFormat::svg:
      return "svg";
    case ExportFormat::csv:
      return "csv";
  }
  return "";
}

std::string csv_text(const QAbstractItemModel& table) {
  const bool tree = is_tree(table);
  std::string text = tree ? "level" : "";
  for (int column = 0; column < table.columnCount(); ++column)
    text += (text.empty() ? "" : ",") +
            field(table.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
  text += "\n";
  add_rows(text, table, {}, tree ? std::optional(0) : std::nullopt);
  return text;
}

std::optional<Error> export_file(const Exported& what, const fs::path& file, QSize size) {
  const std::string ending = file.extension().string();
  if (ending == ".csv") {
    if (what.table == nullptr)
      return Error{file.string(), "this picture has no table; take an ending of .png or .svg"};
    return write_file(file, csv_text(*what.table));
  }
  if (ending != ".png" && ending != ".svg")
    return Error{file.string(), "a file to export to ends in .png, .svg or .csv"};
  if (!what.paint) return Error{file.string(), "this is a table; take an ending of .csv"};
  return write(file, ending == ".png" ? png_of(what, size) : svg_of(what, size));
}

Result<std::vector<fs::path>> export_page(Page& page, const ExportWish& wish) {
  std::error_code failed;
  fs::create_directories(wish.folder, failed);
  if (!failed && !fs::is_directory(wish.folder))
    failed = std::make_error_code(std::errc::not_a_directory);
  if (failed)
    return Error{wish.folder.string(),
                 failed.message() + "; give a folder, or where one can be made"};
  std::vector<fs::path> files;
  for (const Exported& what : page.exports())
    for (const ExportFormat format : wish.formats) {
      const bool is_table = format == ExportFormat::csv;
      if (is_table ? what.table == nullptr : !what.paint) continue;
      const QString name = page.name() + "-" + what.name + "." + name_of(format).data();
      const fs::path file = wish.folder / name.toStdString();
      if (const auto error = export_file(what, file, wish.size)) return *error;
      files.push_back(file);
    }
  return files;
}

}  // namespace quintet::gui
