#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include "sim/base/output_place.h"
#include "sim/command/commands.h"
#include "sim/explain/difference/difference_report.h"
#include "sim/explain/pictures/difference_page.h"
#include "sim/picture/picture_files.h"
#include "sim/timeline/trace_reader.h"
#include "sim/usage/complain.h"

namespace quintet {

namespace {

struct CompareArguments {
  std::string predicted, measured;
  PictureFiles pictures;
  std::optional<double> within;
  bool json = false;
};

bool is_within(const Compared& step, double percent) {
  const auto off = static_cast<double>(std::abs(step.difference().picoseconds));
  return off <= percent / 100 * static_cast<double>(step.measured.picoseconds);
}

ExitCode compare(const CompareArguments& arguments) {
  if (const auto wrong =
          onto_input("--html", arguments.pictures.html, {arguments.predicted, arguments.measured}))
    return complain(*wrong);
  if (const auto wrong = no_place_for(arguments.pictures)) return complain(*wrong);
  const Result<Timeline> predicted = read_timeline(arguments.predicted);
  if (!predicted) return complain(predicted.error());
  const Result<Timeline> measured = read_timeline(arguments.measured);
  if (!measured) return complain(measured.error());
  const Result<Difference> found = difference(*predicted, *measured);
  if (!found)
    return complain({arguments.predicted + " and " + arguments.measured, found.error().text()});
  const DifferenceInput input{arguments.predicted, arguments.measured, *predicted, *measured,
                              *found};
  if (arguments.pictures.wanted())
    if (const auto error = write_pictures(arguments.pictures, difference_page(input)))
      return complain(*error);
  std::fputs((arguments.json ? difference_json(input) : difference_text(input)).c_str(), stdout);
  if (!arguments.within || is_within(found->step, *arguments.within)) return ExitCode::done;
  return ExitCode::answer_is_no;
}

Options options(CompareArguments& into) {
  using enum Need;
  return {
      {"predicted", &into.predicted, "Trace that quintet simulate --trace wrote", "FILE", required},
      {"measured", &into.measured, "Trace that quintet run --timeline wrote", "FILE", required},
      {"--within", &into.within,
       "Exit 1 if the predicted step is further off than so many % of the measured one", "PERCENT",
       optional, NotNegative{}},
      {"--html", &into.pictures.html, "Write a page of drawings and these tables, too", "FILE"},
      {"--svg", &into.pictures.svg, "Write each drawing into this folder", "FOLDER"},
      {"--json", &into.json, "Print JSON (schema_version 1) instead of tables"},
  };
}

}  // namespace

std::unique_ptr<Verb> compare_verb() {
  return make_verb<CompareArguments>(
      {"compare", "Say where a measured step differs from the predicted one, and by how much",
       "Examples:\n"
       "  quintet compare predicted.json measured.json --within 10\n"
       "  quintet compare predicted.json measured.json --html difference.html\n"
       "Exit: 0 done, 1 further off than --within, 2 wrong usage or input."},
      {options, compare});
}

}  // namespace quintet
