#include "gui/pages/topology/part_panel.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <cmath>

#include "gui/widgets/owned.h"
#include "sim/base/quantity_text.h"

namespace quintet::gui {

PartPanel::PartPanel(QWidget* parent) : QWidget(parent) {
  auto& column = owned<QVBoxLayout>(this);
  column.setContentsMargins(8, 8, 8, 8);
  title_ = &owned<QLabel>(this);
  title_->setWordWrap(true);
  title_->setTextFormat(Qt::PlainText);
  QFont bold = title_->font();
  bold.setBold(true);
  title_->setFont(bold);
  column.addWidget(title_);
  facts_ = &owned<QLabel>(this);
  facts_->setWordWrap(true);
  facts_->setTextFormat(Qt::RichText);
  facts_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  facts_->setAccessibleName("What the chosen part is and carries");
  column.addWidget(facts_);
  add_controls();
  message_ = &owned<QLabel>(this);
  message_->setWordWrap(true);
  column.addWidget(message_);
  column.addStretch();
}

void PartPanel::add_controls() {
  controls_ = &owned<QWidget>(this);
  auto& form = owned<QFormLayout>(controls_);
  form.setContentsMargins(0, 4, 0, 0);
  auto& line = owned<QHBoxLayout>();
  slider_ = &owned<QSlider>(Qt::Horizontal, controls_);
  slider_->setObjectName("rate-left");
  slider_->setRange(1, 100);
  slider_->setPageStep(10);
  slider_->setAccessibleName("Share of its rate that is left, percent");
  slider_->setToolTip("Links carry, and GPUs compute at, this share of their rate: --slow");
  percent_ = &owned<QSpinBox>(controls_);
  percent_->setRange(1, 100);
  percent_->setSuffix(" %");
  percent_->setKeyboardTracking(false);
  percent_->setAccessibleName("Share of its rate that is left");
  line.addWidget(slider_, 1);
  line.addWidget(percent_);
  form.addRow("Rate left", &line);
  delay_ = &owned<QLineEdit>(controls_);
  delay_->setObjectName("latency-added");
  delay_->setPlaceholderText("such as 5us; empty: none");
  delay_->setAccessibleName("Latency added");
  delay_->setToolTip("What a message meets beside the usual latency, up to an hour: --delay");
  form.addRow("Latency added", delay_);
  auto& buttons = owned<QHBoxLayout>();
  fail_ = &owned<QPushButton>("Fail", controls_);
  fail_->setObjectName("fail");
  fail_->setToolTip("It is not there when the job starts: --fail");
  restore_ = &owned<QPushButton>("Restore", controls_);
  restore_->setObjectName("restore");
  restore_->setToolTip("As the machine's file says");
  buttons.addWidget(fail_);
  buttons.addWidget(restore_);
  form.addRow(&buttons);
  layout()->addWidget(controls_);
  connect(slider_, &QSlider::sliderPressed, this, [this] { ++drag_; });
  connect(slider_, &QSlider::valueChanged, this, &PartPanel::slow_to);
  connect(percent_, &QSpinBox::valueChanged, this, [this](int percent) {
    ++drag_;
    slow_to(percent);
  });
  connect(delay_, &QLineEdit::editingFinished, this, &PartPanel::delay_by_text);
  connect(fail_, &QPushButton::clicked, this, [this] { ask({{}, {}, true}, "Fail " + part_); });
  connect(restore_, &QPushButton::clicked, this, [this] { ask({}, "Restore " + part_); });
}

void PartPanel::show_facts(const std::vector<Fact>& facts) {
  QString html = "<table cellspacing=0 cellpadding=1>";
  QString tips;
  for (const Fact& fact : facts) {
    html += QString("<tr><td style='padding-right:8px'>%1</td><td>%2</td></tr>")
                .arg(fact.name.toHtmlEscaped(), fact.value.toHtmlEscaped());
    if (!fact.meaning.isEmpty())
      tips += (tips.isEmpty() ? "" : "\n") + fact.name + ": " + fact.meaning;
  }
  facts_->setText(html + "</table>");
  facts_->setToolTip(tips);
}

void PartPanel::show(const QString& part, const QString& title, const std::vector<Fact>& facts,
                     const Breakable& may, const PartFault& fault) {
  showing_ = true;
  if (part != part_) {
    ++drag_;
    message_->clear();
  }
  part_ = part;
  fault_ = fault;
  title_->setText(title);
  show_facts(facts);
  controls_->setVisible(may.slow || may.fail || may.delay);
  const int percent = static_cast<int>(std::lround(fault.share.value_or(1.0) * 100));
  for (QWidget* each : {static_cast<QWidget*>(slider_), static_cast<QWidget*>(percent_)})
    each->setEnabled(may.slow && !fault.failed);
  slider_->setValue(percent);
  percent_->setValue(percent);
  delay_->setEnabled(may.delay && !fault.failed);
  if (!delay_->hasFocus() || !delay_->isModified())
    delay_->setText(QString::fromStdString(fault.delay.value_or("")));
  fail_->setEnabled(may.fail && !fault.failed);
  restore_->setEnabled(fault != PartFault{});
  showing_ = false;
}

void PartPanel::ask(PartFault fault, const QString& what, int merge) {
  message_->clear();
  fault_ = fault;
  emit fault_asked(fault, what, merge);
}

void PartPanel::slow_to(int percent) {
  if (showing_) return;
  {
    const QSignalBlocker quiet_slider(slider_), quiet_percent(percent_);
    slider_->setValue(percent);
    percent_->setValue(percent);
  }
  PartFault fault = fault_;
  fault.share = percent < 100 ? std::optional(percent / 100.0) : std::nullopt;
  ask(fault, QString("Slow %1 to %2 %").arg(part_).arg(percent), drag_);
}

void PartPanel::delay_by_text() {
  if (showing_ || !delay_->isModified()) return;
  delay_->setModified(false);
  const std::string asked = delay_->text().trimmed().toStdString();
  PartFault fault = fault_;
  fault.delay.reset();
  if (!asked.empty()) {
    const Result<Seconds> time = parse_seconds(asked);
    const bool fits = time && *time > Seconds{} && *time <= longest_delay;
    if (!fits) {
      message_->setText(
          "Latency added: expected a time with its unit, more than nothing and at "
          "most an hour, such as 5us; found " +
          delay_->text());
      return;
    }
    fault.delay = asked;
  }
  if (fault == fault_) return;
  ask(fault, asked.empty() ? "No latency added to " + part_
                           : QString("Delay %1 by %2").arg(part_, delay_->text().trimmed()));
}

}  // namespace quintet::gui
