#include "traces/command/replay_outputs.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "sim/base/output_place.h"
#include "sim/timeline/chrome_trace/chrome_trace.h"
#include "traces/astra_sim/inputs.h"
#include "traces/chakra/chakra.h"
#include "traces/csv/timeline_csv.h"
#include "traces/kineto/kineto_writer.h"
#include "traces/perfetto/perfetto.h"

namespace quintet {

namespace {

namespace fs = std::filesystem;

template <class Write>
std::optional<Error> write_stream(const fs::path& file, const Write& write) {
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (out) write(out);
  out.close();
  if (out) return std::nullopt;
  return Error{file.string(), std::string("cannot be written: ") +
                                  (errno != 0 ? std::strerror(errno) : "the stream failed")};
}

std::optional<Error> write_timeline(const fs::path& file, const Timeline& timeline) {
  if (file.extension() == ".csv")
    return write_stream(file, [&](std::ostream& out) { write_timeline_csv(out, timeline); });
  if (file.extension() == ".pftrace" || file.extension() == ".perfetto-trace")
    return write_stream(file, [&](std::ostream& out) { write_perfetto(out, timeline); });
  const auto written = write_chrome_trace(file, timeline);
  return written ? std::nullopt : std::optional(written.error());
}

std::optional<Error> make_folder(const fs::path& folder) {
  std::error_code failed;
  if (!folder.empty()) fs::create_directories(folder, failed);
  if (failed) return Error{folder.string(), "cannot be made: " + failed.message()};
  return std::nullopt;
}

std::optional<Error> write_kineto_files(const fs::path& folder, const Workload& workload) {
  if (const auto error = make_folder(folder)) return error;
  for (std::size_t rank = 0; rank < workload.ranks.size(); ++rank) {
    const fs::path file =
        folder / fmt::format("rank{}.pt.trace.json", workload.ranks[rank].rank.value);
    if (const auto error = write_stream(file, [&](std::ostream& out) {
          write_kineto(out, workload, static_cast<std::int32_t>(rank));
        }))
      return error;
  }
  return std::nullopt;
}

std::optional<Error> write_astra(const fs::path& folder, const Topology* machine) {
  if (machine == nullptr)
    return Error{"--astra-inputs", "is of a machine: name it (--topology or --recorded-on)"};
  const Result<AstraInputs> inputs = astra_inputs_of(*machine);
  if (!inputs) return inputs.error();
  return write_astra_inputs(folder, *inputs);
}

}  // namespace

std::optional<Error> wrong_with(const ReplayOutputs& outputs,
                                const std::vector<std::string>& traces) {
  if (outputs.timeline.empty()) return std::nullopt;
  if (auto error = onto_input("--output", outputs.timeline, traces)) return error;
  return no_place("--output", outputs.timeline);
}

std::optional<Error> write_outputs(const ReplayOutputs& outputs, const Replayed& what) {
  if (!outputs.timeline.empty())
    if (auto error = write_timeline(outputs.timeline, what.timeline)) return error;
  if (!outputs.kineto.empty())
    if (auto error = write_kineto_files(outputs.kineto, what.workload)) return error;
  if (!outputs.astra.empty())
    if (auto error = write_astra(outputs.astra, what.machine)) return error;
  if (outputs.chakra.empty()) return std::nullopt;
  if (auto error = make_folder(fs::path(outputs.chakra).parent_path())) return error;
  const auto written = write_chakra(outputs.chakra, what.workload);
  return written ? std::nullopt : std::optional(written.error());
}

}  // namespace quintet
