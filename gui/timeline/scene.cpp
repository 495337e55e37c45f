#include "gui/timeline/scene.h"

#include <algorithm>

namespace quintet::gui {

namespace {

constexpr std::uint32_t gap_bit = 0x80000000U;

}  // namespace

BarSubject Scene::subject_in(std::size_t row, std::size_t bar) const {
  const std::uint32_t item = bars.item(bar);
  const std::size_t source = rows[row].source;
  if ((item & gap_bit) != 0) return {source, -1, item & ~gap_bit};
  return {source, item, -1};
}

const Span* Scene::span_of(std::size_t bar) const {
  const BarSubject of = subject(bar);
  if (of.span < 0) return nullptr;
  return &sources[of.source].timeline.spans[static_cast<std::size_t>(of.span)];
}

const SpanInfo* Scene::info_of(std::size_t bar) const {
  const BarSubject of = subject(bar);
  if (of.span < 0) return nullptr;
  const Timeline& timeline = sources[of.source].timeline;
  const Span& span = timeline.spans[static_cast<std::size_t>(of.span)];
  return &timeline.infos[static_cast<std::size_t>(span.info)];
}

QString Scene::name_of(std::size_t bar) const {
  const SpanInfo* info = info_of(bar);
  return info == nullptr ? QString("launch gap") : QString::fromStdString(info->name);
}

std::optional<std::size_t> Scene::other_end(std::size_t bar) const {
  const BarSubject of = subject(bar);
  if (of.span < 0) return std::nullopt;
  const SceneSource& source = sources[of.source];
  const auto span = static_cast<std::uint32_t>(of.span);
  for (const Message& each : source.messages) {
    if (each.send == span) return source.bar_of_span[each.receive];
    if (each.receive == span) return source.bar_of_span[each.send];
  }
  return std::nullopt;
}

std::size_t Scene::row_of(const SceneSource& source, const PathPiece& piece) const {
  if (piece.span >= 0) return bars.row_of(source.bar_of_span[static_cast<std::size_t>(piece.span)]);
  return source.first_row_of_track[static_cast<std::size_t>(piece.track)];
}

Look look_of(const SpanInfo& info) {
  switch (info.kind) {
    case SpanKind::compute:
      break;
    case SpanKind::collective:
      return Look::vermillion;
    case SpanKind::send:
    case SpanKind::receive:
      return Look::sky;
    case SpanKind::copy:
      return Look::yellow;
    case SpanKind::host:
      return Look::grey;
  }
  switch (info.phase) {
    case Phase::forward:
      return Look::blue;
    case Phase::recompute:
    case Phase::input_gradient:
    case Phase::backward:
      return Look::orange;
    case Phase::weight_gradient:
      return Look::green;
    case Phase::update:
      return Look::purple;
  }
  return Look::blue;
}

const std::vector<LookMeaning>& look_meanings() {
  static const std::vector<LookMeaning> meanings{
      {Look::blue, "forward"},  {Look::orange, "backward"},       {Look::green, "weight gradients"},
      {Look::purple, "update"}, {Look::vermillion, "collective"}, {Look::sky, "send, receive"},
      {Look::yellow, "copy"},   {Look::grey, "host, launch gap"}};
  return meanings;
}

namespace {

using Facts = std::vector<std::pair<QString, QString>>;

void add_span_facts(Facts& facts, const SceneSource& source, const Span& span,
                    const SpanInfo& info) {
  if (info.kind == SpanKind::compute)
    facts.emplace_back("Phase", QString::fromUtf8(name_of(info.phase).data()));
  if (is_communication(info.kind)) {
    facts.emplace_back("Axis", QString::fromUtf8(name_of(info.axis).data()));
    facts.emplace_back("Waited", length_text(span.moving - span.start));
  }
  if (info.size != Bytes{}) {
    const QString size = QString("%L1 B").arg(info.size.value, 0, 'f', 0);
    facts.emplace_back("Size", size);
    const Duration moved =
        is_communication(info.kind) ? span.end - span.moving : span.end - span.start;
    if (moved > Duration{})
      facts.emplace_back(
          "Rate", QString("%1 GB/s").arg(info.size.value / seconds(moved).value / 1e9, 0, 'g', 5));
  }
  if (span.layer >= 0) facts.emplace_back("Layer", QString::number(span.layer));
  if (span.micro_batch >= 0) facts.emplace_back("Micro-batch", QString::number(span.micro_batch));
  if (span.chunk > 0) facts.emplace_back("Piece of the model", QString::number(span.chunk));
  if (span.bucket >= 0) facts.emplace_back("Bucket", QString::number(span.bucket));
  if (!info.detail.empty()) facts.emplace_back("How", QString::fromStdString(info.detail));
  const auto number = static_cast<std::size_t>(&span - source.timeline.spans.data());
  if (!source.timeline.cpu.empty())
    facts.emplace_back("Computed in it", length_text(source.timeline.cpu[number]));
  if (!source.timeline.notes.empty() && !source.timeline.notes[number].empty())
    facts.emplace_back("Seen in it", QString::fromStdString(source.timeline.notes[number]));
}

}  // namespace

std::vector<std::pair<QString, QString>> facts_of(const Scene& scene, std::size_t bar) {
  const SceneRow& row = scene.rows[scene.bars.row_of(bar)];
  const SceneSource& source = scene.sources[row.source];
  const std::int64_t start = scene.bars.start(bar) - source.shift.picoseconds;
  const Duration length{scene.bars.length(bar)};
  Facts facts{
      {"Name", scene.name_of(bar)},
      {"Rank", row.group + ", " + row.group_note},
      {"Lane", row.lane + (source.measured ? ", measured" : "")},
      {"Begins", time_text(start, std::max(1.0, std::abs(static_cast<double>(start)) / 1e6))},
      {"Takes", length_text(length)}};
  const Duration step = source.timeline.end - Instant{};
  if (step > Duration{})
    facts.emplace_back("Of the step",
                       QString("%1 %").arg(100 * (seconds(length) / seconds(step)), 0, 'g', 4));
  if (const Span* span = scene.span_of(bar))
    add_span_facts(facts, source, *span, *scene.info_of(bar));
  return facts;
}

}  // namespace quintet::gui
