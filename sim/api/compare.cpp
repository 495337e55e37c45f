#include "quintet/compare.h"

#include "sim/api/checked.h"
#include "sim/api/inside.h"
#include "sim/api/shown_timeline.h"
#include "sim/explain/difference/cause_text.h"
#include "sim/explain/difference/difference_report.h"
#include "sim/explain/pictures/difference_page.h"
#include "sim/picture/page.h"
#include "sim/timeline/trace_reader.h"

namespace quintet::api {
namespace {

ComparedPart part(const std::string& name, const Compared& time) {
  return {name, time.predicted.picoseconds, time.measured.picoseconds};
}

std::vector<ComparedPart> parts(const std::vector<DifferencePart>& all) {
  std::vector<ComparedPart> shown;
  for (const DifferencePart& each : all) shown.push_back(part(each.name, each.time));
  return shown;
}

Comparison compared(const std::string& predicted_name, const quintet::Timeline& predicted,
                    const Trace::Inside& measured) {
  Result<Difference> found = difference(predicted, measured.timeline);
  if (!found) throw Failure(predicted_name + " and " + measured.path, found.error().text());
  const DifferenceInput input{predicted_name, measured.path, predicted, measured.timeline, *found};
  Comparison shown{part("step", found->step), {},
                   parts(found->stack),       parts(found->layers),
                   parts(found->axes),        difference_json(input),
                   difference_text(input),    page_html(difference_page(input))};
  for (const Cause& cause : found->causes)
    shown.causes.push_back(part(sentence_of(cause), cause.charged));
  return shown;
}

}  // namespace

Trace::Trace(std::unique_ptr<const Inside> inside) : inside_(std::move(inside)) {}
Trace::Trace(Trace&&) noexcept = default;
Trace& Trace::operator=(Trace&&) noexcept = default;
Trace::~Trace() = default;

Timeline Trace::timeline() const {
  return shown_timeline(inside_->timeline);
}

Trace load_trace(const std::string& path) {
  return Trace(
      std::make_unique<const Trace::Inside>(Trace::Inside{path, checked(read_timeline(path))}));
}

Comparison compare(const Prediction& predicted, const Trace& measured) {
  return compared(predicted.name(), predicted.inside().predicted().prediction.timeline,
                  measured.inside());
}

Comparison compare(const Trace& predicted, const Trace& measured) {
  return compared(predicted.inside().path, predicted.inside().timeline, measured.inside());
}

}  // namespace quintet::api
