#include "gui/pages/topology/scrubber.h"

#include <QHBoxLayout>
#include <array>

#include "gui/widgets/owned.h"

namespace quintet::gui {

namespace {

constexpr int places = 2000;
constexpr int frame = 40;         // ms
constexpr double lasts = 15'000;  // ms for the whole step
constexpr std::array parts{5, 10, 20, 50, 100, 200, 500, 1000};

}  // namespace

QString range_text(const TimeRange& range) {
  const double from = seconds(range.from).value * 1e3, to = seconds(range.to).value * 1e3;
  const int digits = to - from < 1 ? 3 : to - from < 100 ? 2 : 1;
  return QString("%1-%2 ms").arg(from, 0, 'f', digits).arg(to, 0, 'f', digits);
}

Scrubber::Scrubber(QWidget* parent) : QWidget(parent) {
  auto& line = owned<QHBoxLayout>(this);
  line.setContentsMargins(8, 2, 8, 2);
  play_ = &owned<QToolButton>(this);
  play_->setObjectName("play");
  play_->setText("\u25b6 Play");
  play_->setCheckable(true);
  play_->setToolTip("Plays the step over the network");
  play_->setAccessibleName("Play the step over the network");
  slider_ = &owned<QSlider>(Qt::Horizontal, this);
  slider_->setObjectName("moment");
  slider_->setRange(0, places);
  slider_->setPageStep(places / 20);
  slider_->setAccessibleName("Where in the step the window of time begins");
  slider_->setToolTip("The window of time of which the picture shows loads");
  length_ = &owned<QComboBox>(this);
  length_->setAccessibleName("How long the window of time is");
  length_->setToolTip("How long the window of time is");
  for (const int part : parts) length_->addItem(QString("1/%1 of the step").arg(part), part);
  length_->setCurrentIndex(2);
  whole_ = &owned<QToolButton>(this);
  whole_->setText("Whole step");
  whole_->setObjectName("whole-step");
  whole_->setToolTip("Loads over the whole step, or over the range selected in the timeline");
  choose_ = &owned<QToolButton>(this);
  choose_->setText("Select");
  choose_->setToolTip("Selects the window in the timeline, too");
  text_ = &owned<QLabel>(this);
  text_->setMinimumWidth(text_->fontMetrics().horizontalAdvance("10000.0-10000.0 ms"));
  line.addWidget(play_);
  line.addWidget(slider_, 1);
  line.addWidget(text_);
  line.addWidget(length_);
  line.addWidget(choose_);
  line.addWidget(whole_);
  timer_.setInterval(frame);
  connect(&timer_, &QTimer::timeout, this, &Scrubber::advance);
  connect(play_, &QToolButton::toggled, this, &Scrubber::play);
  connect(whole_, &QToolButton::clicked, this, &Scrubber::whole);
  connect(choose_, &QToolButton::clicked, this, &Scrubber::range_asked);
  connect(slider_, &QSlider::valueChanged, this, [this] {
    moving_ = true;
    show_text();
    emit moved();
  });
  connect(length_, &QComboBox::currentIndexChanged, this, [this] {
    show_text();
    if (moving_) emit moved();
  });
  set_step({});
}

void Scrubber::set_step(std::optional<Instant> end) {
  end_ = end;
  for (QWidget* each : std::array<QWidget*, 3>{play_, slider_, length_})
    each->setEnabled(end.has_value());
  if (!end) {
    play(false);
    moving_ = false;
  }
  show_text();
}

Duration Scrubber::length() const {
  return {std::max<std::int64_t>(1, end_->picoseconds / length_->currentData().toInt())};
}

std::optional<TimeRange> Scrubber::window() const {
  if (!moving_ || !end_) return std::nullopt;
  const double share = static_cast<double>(slider_->value()) / places;
  const std::int64_t room = end_->picoseconds - length().picoseconds;
  const Instant from{static_cast<std::int64_t>(share * static_cast<double>(room))};
  return TimeRange{from, from + length()};
}

void Scrubber::play(bool on) {
  if (on && slider_->value() == places) slider_->setValue(0);
  play_->setChecked(on);
  play_->setText(on ? "\u2016 Pause" : "\u25b6 Play");
  if (on)
    timer_.start();
  else
    timer_.stop();
}

void Scrubber::whole() {
  play(false);
  moving_ = false;
  show_text();
  emit moved();
}

void Scrubber::advance() {
  if (slider_->value() >= places) return play(false);
  slider_->setValue(slider_->value() + static_cast<int>(places * frame / lasts));
}

void Scrubber::show_text() {
  const auto range = window();
  text_->setText(range ? range_text(*range) : "");
  whole_->setEnabled(range.has_value());
  choose_->setEnabled(range.has_value());
}

}  // namespace quintet::gui
