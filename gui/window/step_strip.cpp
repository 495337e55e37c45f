#include "gui/window/step_strip.h"

#include <fmt/format.h>

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "gui/widgets/owned.h"

namespace quintet::gui {

namespace {

QString text(const std::string& words) {
  return QString::fromStdString(words);
}

QString change_text(const Outcome& now, const Outcome* before) {
  if (before == nullptr || !before->predicted() || !now.predicted()) return "-";
  const double was = before->prediction().summary.step.value;
  const double is = now.prediction().summary.step.value;
  return text(fmt::format("{:+.1f} ms ({:+.1f} %)", (is - was) * 1e3, (is / was - 1.0) * 100.0));
}

QString memory_text(const Prediction& prediction) {
  const std::optional<RankMemory> rank = fullest(prediction.memory);
  const double capacity = prediction.memory.capacity.value;
  if (!rank || capacity <= 0) return "not known";
  const double needed = total(*rank).value;
  return text(fmt::format("{:.1f} of {:.0f} GiB{}", needed / 0x1p30, capacity / 0x1p30,
                          needed > capacity ? ": does not fit" : ""));
}

}  // namespace

StepStrip::StepStrip(Document& document, QWidget* parent) : QWidget(parent), document_(document) {
  owned<QHBoxLayout>(this).setContentsMargins(12, 6, 12, 6);
  layout()->setSpacing(28);
  step_ = &add_figure("step", "How long one training step is predicted to take");
  change_ = &add_figure("against before", "Against the prediction before the last edit");
  mfu_ = &add_figure("MFU", "The share of the GPUs' peak rate that the model's own FLOPs take");
  memory_ = &add_figure("memory", "What the fullest GPU needs");
  money_ = &add_figure("rent of a step", "At the machine file's price per GPU and hour");
  auto& row = static_cast<QHBoxLayout&>(*layout());
  row.addStretch();
  state_ = &owned<QLabel>(this);
  progress_ = &owned<QProgressBar>(this);
  progress_->setFixedWidth(160);
  progress_->setRange(0, 1000);
  progress_->setAccessibleName("Progress of the prediction");
  cancel_ = &owned<QPushButton>("Cancel", this);
  predict_ = &owned<QPushButton>("Predict", this);
  predict_->setToolTip("Predict the step as it is edited now (F5)");
  for (QWidget* each : {static_cast<QWidget*>(state_), static_cast<QWidget*>(progress_),
                        static_cast<QWidget*>(cancel_), static_cast<QWidget*>(predict_)})
    row.addWidget(each);
  connect(predict_, &QPushButton::clicked, &document_, &Document::predict);
  connect(cancel_, &QPushButton::clicked, &document_, &Document::cancel);
  Worker& worker = document_.worker();
  connect(&worker, &Worker::progressed, this,
          [this](double share) { progress_->setValue(static_cast<int>(share * 1000)); });
  connect(&worker, &Worker::began, this, &StepStrip::show_work);
  connect(&worker, &Worker::ended, this, &StepStrip::show_work);
  connect(&document_, &Document::scenario_changed, this, &StepStrip::show_work);
  connect(&document_, &Document::outcome_changed, this, &StepStrip::show_outcome);
  show_outcome();
}

QLabel& StepStrip::add_figure(const QString& name, const QString& tip) {
  auto& column = owned<QVBoxLayout>();
  column.setSpacing(0);
  auto& value = owned<QLabel>("-", this);
  QFont large = value.font();
  large.setPointSizeF(large.pointSizeF() * 1.3);
  large.setBold(true);
  value.setFont(large);
  value.setAccessibleName(name);
  value.setToolTip(tip);
  value.setObjectName("figure-" + QString(name).replace(' ', '-'));
  auto& label = owned<QLabel>(name, this);
  label.setForegroundRole(QPalette::PlaceholderText);
  label.setToolTip(tip);
  column.addWidget(&value);
  column.addWidget(&label);
  static_cast<QHBoxLayout*>(layout())->addLayout(&column);
  return value;
}

void StepStrip::show_outcome() {
  const Outcome* outcome = document_.outcome();
  const bool predicted = outcome != nullptr && outcome->predicted();
  step_->setText(outcome == nullptr ? "-" : text(step_text(*outcome)));
  change_->setText(predicted ? change_text(*outcome, document_.earlier()) : "-");
  mfu_->setText(predicted ? text(fmt::format("{:.1f} %", outcome->prediction().summary.mfu * 100))
                          : "-");
  memory_->setText(predicted ? memory_text(outcome->prediction()) : "-");
  const double dollars = predicted ? outcome->prediction().summary.cost.value : 0.0;
  money_->setText(dollars > 0 ? text(fmt::format("${:.2f}", dollars)) : "not known");
  show_work();
}

void StepStrip::show_work() {
  const bool busy = document_.worker().busy();
  progress_->setVisible(busy);
  cancel_->setVisible(busy);
  predict_->setVisible(!busy && document_.outdated());
  state_->setText(busy                                        ? document_.worker().what() + " ..."
                  : document_.error() && document_.outdated() ? QString("Not predicted")
                  : document_.outdated() ? QString("Figures are of before the edit")
                                         : QString());
}

}  // namespace quintet::gui
