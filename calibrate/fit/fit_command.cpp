#include "calibrate/fit/fit_command.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "calibrate/fit/fitted_table.h"
#include "calibrate/fit/measurement_files.h"
#include "calibrate/fit/recordings.h"
#include "sim/base/output_place.h"
#include "sim/base/text_file.h"
#include "sim/base/text_table.h"
#include "sim/usage/complain.h"
#include "sim/usage/shipped.h"

namespace quintet::calibrate {
namespace {

struct Arguments {
  std::vector<std::string> files;
  std::string gpu, output;
};

std::string today() {
  std::array<char, 32> day{};
  const std::time_t now = std::time(nullptr);
  std::strftime(day.data(), day.size(), "%F", std::gmtime(&now));
  return day.data();
}

template <class Sample>
void append(std::vector<Sample>& to, const std::vector<Sample>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void append(Measurements& all, const Measurements& more) {
  append(all.collectives, more.collectives);
  append(all.gemms, more.gemms);
  append(all.attentions, more.attentions);
  append(all.memories, more.memories);
  append(all.launches, more.launches);
  append(all.launch_gaps, more.launch_gaps);
  append(all.left_out, more.left_out);
}

// The recordings of one job.
Result<Measurements> read_folder(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
    if (entry.is_regular_file() && is_recorded(entry.path())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.empty())
    return Error{folder.string(),
                 "is a directory without recordings: give files, or a directory with the "
                 "recordings of one job"};
  return read_recordings(files);
}

// Recordings that are named by themselves are of one job.
Result<Measurements> read_all(const std::vector<std::string>& files) {
  Measurements all;
  std::vector<std::filesystem::path> job;
  for (const std::string& file : files) {
    if (is_recorded(file)) {
      job.push_back(file);
      continue;
    }
    const bool folder = std::filesystem::is_directory(file);
    const Result<Measurements> read = folder ? read_folder(file) : read_measurements(file);
    if (!read) return read.error();
    append(all, *read);
  }
  if (job.empty()) return all;
  const Result<Measurements> read = read_recordings(job);
  if (!read) return read.error();
  append(all, *read);
  return all;
}

// Beside the target and renamed, so that a killed run leaves no half table.
std::optional<Error> write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::path part = file;
  part += ".part";
  std::ofstream out(part, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  std::error_code failed;
  if (out) std::filesystem::rename(part, file, failed);
  if (out && !failed) return std::nullopt;
  std::filesystem::remove(part, failed);
  return Error{file.string(), "cannot be written"};
}

std::string sentence_of(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& each : parts) text += (text.empty() ? "" : "; ") + each;
  return text;
}

void print(const FittedTable& made) {
  for (const std::string& each : made.left_out) std::printf("Left out: %s\n", each.c_str());
  std::vector<TextRow> rows{{"fitted", "|fit / measured - 1|"}};
  for (const FitLine& line : made.lines) rows.push_back({line.what, line.error});
  std::fputs(aligned(rows).c_str(), stdout);
  std::printf("Not measured, so as in the table given: %s\n", sentence_of(made.kept).c_str());
}

ExitCode fit(const Arguments& arguments) {
  if (const auto error = onto_input("-o", arguments.output, arguments.files))
    return complain(*error);
  if (const auto error = no_place("-o", arguments.output)) return complain(*error);
  const Result<std::filesystem::path> base = find_file(FileKind::costs, arguments.gpu);
  if (!base) return complain(base.error());
  const Result<std::string> text = read_text_file(*base);
  if (!text) return complain(text.error());
  const Result<Measurements> measurements = read_all(arguments.files);
  if (!measurements) return complain(measurements.error());
  if (measures_nothing(*measurements))
    return complain({joined(arguments.files),
                     "no measurement of what a cost table holds is there; expected rows of "
                     "collectives, products, attention or kernels that memory bounds"});
  const Result<FittedTable> made = fitted_table(*text, base->string(), *measurements, today());
  if (!made) return complain(made.error());
  if (made->lines.empty()) {
    complain({"the measurements", "are too few to fit anything: " + sentence_of(made->left_out)});
    return ExitCode::answer_is_no;
  }
  if (const auto error = write(arguments.output, made->text)) return complain(*error);
  print(*made);
  return ExitCode::done;
}

Options options(Arguments& into) {
  using enum Need;
  return {
      {"files", &into.files,
       "nccl-tests' output (text or JSON), lines of NCCL Inspector, CSV of collectives, "
       "GEMMs, attention or kernels that memory bounds; recorded steps: PyTorch's profiler "
       "(Kineto, "
       "best with shapes), Nsight Systems, NCCL's profiler, Perfetto, ours, all files of one job "
       "(a "
       "folder: one more job)",
       "FILE", required},
      {"--gpu", &into.gpu,
       "Cost table of this card or one like it, shipped or a file: what no file measures "
       "stays as it is there",
       "TABLE", required},
      {"-o,--output", &into.output, "The cost table to write", "FILE", required},
  };
}

}  // namespace

std::unique_ptr<Verb> fit_verb() {
  return make_verb<Arguments>(
      {"fit", "Make a cost table from what other tools measured, for quintet simulate",
       "Example:\n"
       "  quintet fit all_reduce_perf.txt gemm.csv --gpu h100-sxm-80gb -o mine.json\n"
       "  quintet fit rank*.json.gz --gpu h100-sxm-80gb -o mine.json\n"
       "Prints how far each fit is from measurements held out. Exit: 0 done, 1 too little to fit, "
       "2 "
       "wrong usage or input."},
      {options, fit});
}

}  // namespace quintet::calibrate
