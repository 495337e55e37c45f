#include "gui/timeline/scene_search.h"

#include <QStringList>
#include <algorithm>
#include <optional>

#include "sim/base/quantity_text.h"

namespace quintet::gui {

namespace {

struct Question {
  QStringList words;
  std::optional<int> layer, micro_batch, rank, stage;
  std::int64_t longer = -1;
  QString wrong;
};

void ask(Question& question, const QString& word) {
  const QString key = word.section(':', 0, 0).toLower(), value = word.section(':', 1);
  if (!word.contains(':')) {
    question.words << word;
    return;
  }
  if (key == "longer") {
    const Result<Seconds> time = parse_seconds(value.toStdString());
    if (time)
      question.longer = duration(*time).picoseconds;
    else
      question.wrong = QString("longer:%1 is no time; give one such as longer:1ms").arg(value);
    return;
  }
  bool read = false;
  const int number = value.toInt(&read);
  std::optional<int>* const part = key == "layer"                        ? &question.layer
                                   : key == "micro-batch" || key == "mb" ? &question.micro_batch
                                   : key == "rank"                       ? &question.rank
                                   : key == "stage"                      ? &question.stage
                                                                         : nullptr;
  if (part != nullptr && read)
    *part = number;
  else
    question.wrong =
        QString("%1 is not understood; there are layer:3, mb:0, rank:8, stage:1, longer:1ms")
            .arg(word);
}

Question asked(const QString& words) {
  Question question;
  for (const QString& word : words.simplified().split(' ', Qt::SkipEmptyParts)) ask(question, word);
  return question;
}

QString text_of(const SpanInfo& info) {
  QString text =
      QString::fromStdString(info.name) + " " + QString::fromUtf8(name_of(info.kind).data());
  if (info.kind == SpanKind::compute) text += QString(" ") + name_of(info.phase).data();
  if (is_communication(info.kind)) text += QString(" ") + name_of(info.axis).data();
  return text;
}

bool has_all(const QString& text, const QStringList& words) {
  return std::all_of(words.begin(), words.end(),
                     [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

class Search {
 public:
  Search(const Scene& scene, const Question& question) : scene_(scene), question_(question) {}

  FoundBars found() {
    FoundBars found;
    found.matched.resize(scene_.bars.bars(), false);
    for (std::size_t row = 0; row < scene_.rows.size(); ++row) search_row(row, found);
    std::stable_sort(found.bars.begin(), found.bars.end(),
                     [&](std::uint32_t one, std::uint32_t other) {
                       return scene_.bars.start(one) < scene_.bars.start(other);
                     });
    return found;
  }

 private:
  // Of each info whether its texts with the lane's name have the words.
  std::vector<bool> infos_with_words(const SceneSource& source, const QString& lane) const {
    std::vector<bool> has;
    for (const SpanInfo& info : source.timeline.infos)
      has.push_back(has_all(text_of(info) + " " + lane, question_.words));
    return has;
  }

  void search_row(std::size_t number, FoundBars& found) const {
    const SceneRow& row = scene_.rows[number];
    const SceneSource& source = scene_.sources[row.source];
    const Track& track = source.timeline.tracks[static_cast<std::size_t>(row.track)];
    if (question_.rank && track.rank.value != *question_.rank) return;
    if (question_.stage && track.stage != *question_.stage) return;
    const std::vector<bool> has = infos_with_words(source, row.lane);
    const bool gaps_have = has_all("launch gap " + row.lane, question_.words);
    for (std::size_t bar = scene_.bars.row_begin(number); bar < scene_.bars.row_end(number);
         ++bar) {
      if (scene_.bars.length(bar) <= question_.longer) continue;
      const BarSubject subject = scene_.subject_in(number, bar);
      const bool is_it =
          subject.span < 0
              ? gaps_have && !question_.layer && !question_.micro_batch
              : meets(source.timeline.spans[static_cast<std::size_t>(subject.span)], has);
      if (!is_it) continue;
      found.bars.push_back(static_cast<std::uint32_t>(bar));
      found.matched[bar] = true;
    }
  }

  bool meets(const Span& span, const std::vector<bool>& has) const {
    return has[static_cast<std::size_t>(span.info)] &&
           (!question_.layer || span.layer == *question_.layer) &&
           (!question_.micro_batch || span.micro_batch == *question_.micro_batch);
  }

  const Scene& scene_;
  const Question& question_;
};

}  // namespace

FoundBars found_bars(const Scene& scene, const QString& words) {
  const Question question = asked(words);
  FoundBars nothing;
  nothing.wrong = question.wrong;
  if (words.simplified().isEmpty() || !question.wrong.isEmpty()) return nothing;
  return Search(scene, question).found();
}

}  // namespace quintet::gui
