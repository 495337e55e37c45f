// Pictures and tables as files.
#include "gui/export/export.h"

#include <QFile>
#include <QImage>
#include <QStandardItemModel>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>

namespace quintet::gui {

namespace fs = std::filesystem;

// A page with one picture, a red half, and a table behind it.
class HalfPage : public Page {
  Q_OBJECT
 public:
  explicit HalfPage(Document& document) : Page(document, nullptr) {
    table_.setHorizontalHeaderLabels({"what", "share"});
    table_.appendRow({new QStandardItem("a, \"b\""), new QStandardItem("0.5")});
  }
  QString name() const override { return "half"; }
  QString title() const override { return "Half"; }
  QString question() const override { return "Is it half?"; }
  std::vector<Exported> exports() override {
    return {{"picture", "A half", paint, &table_},
            {"nothing", "Without picture or table", {}, nullptr}};
  }

 private:
  static void paint(QPainter& painter, const QSizeF& size) {
    painter.fillRect(QRectF(0, 0, size.width() / 2, size.height()), Qt::red);
  }
  QStandardItemModel table_;
};

class ExportTest : public QObject {
  Q_OBJECT

 private slots:
  void a_page_becomes_a_file_of_each_kind();
  void a_tree_is_told_with_its_levels();
  void an_unknown_ending_is_refused_with_those_that_there_are();
  void a_folder_that_cannot_be_made_is_said();
};

void ExportTest::a_page_becomes_a_file_of_each_kind() {
  const QTemporaryDir folder;
  Document document;
  HalfPage page(document);
  const fs::path into = fs::path(folder.path().toStdString()) / "new";
  const auto files = export_page(
      page, {into, {ExportFormat::png, ExportFormat::svg, ExportFormat::csv}, {400, 300}});
  QVERIFY(files.has_value());
  QCOMPARE(files->size(), std::size_t{3});
  const QImage image(QString::fromStdString((into / "half-picture.png").string()));
  QCOMPARE(image.size(), QSize(400, 300));
  QCOMPARE(image.pixelColor(100, 150), QColor(Qt::red));
  QCOMPARE(image.pixelColor(300, 150), QColor(Qt::white));
  QFile svg(QString::fromStdString((into / "half-picture.svg").string()));
  QVERIFY(svg.open(QIODevice::ReadOnly));
  QXmlStreamReader xml(&svg);
  while (!xml.atEnd()) xml.readNext();
  QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
  QFile csv(QString::fromStdString((into / "half-picture.csv").string()));
  QVERIFY(csv.open(QIODevice::ReadOnly));
  QCOMPARE(QString::fromUtf8(csv.readAll()), QString("what,share\n\"a, \"\"b\"\"\",0.5\n"));
}

void ExportTest::a_tree_is_told_with_its_levels() {
  QStandardItemModel tree;
  tree.setHorizontalHeaderLabels({"part"});
  auto* compute = new QStandardItem("compute");
  compute->appendRow(new QStandardItem("attention"));
  tree.appendRow(compute);
  QCOMPARE(csv_text(tree), std::string("level,part\n0,compute\n1,attention\n"));
}

void ExportTest::an_unknown_ending_is_refused_with_those_that_there_are() {
  Document document;
  HalfPage page(document);
  const auto error = export_file(page.exports().front(), "/tmp/half.gif", {400, 300});
  QVERIFY(error.has_value());
  QCOMPARE(error->text(),
           std::string("/tmp/half.gif: a file to export to ends in .png, .svg or .csv"));
}

void ExportTest::a_folder_that_cannot_be_made_is_said() {
  Document document;
  HalfPage page(document);
  const auto files = export_page(page, {"/proc/none"});
  QVERIFY(!files);
  QCOMPARE(files.error().where, std::string("/proc/none"));
}

}  // namespace quintet::gui

QTEST_MAIN(quintet::gui::ExportTest)
#include "export_test.moc"
