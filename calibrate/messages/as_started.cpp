#include "calibrate/messages/as_started.h"

#include <fmt/format.h>

#include "calibrate/machine/machine_unrest.h"
#include "sim/usage/complain.h"

namespace quintet::calibrate {
namespace {

ExitCode failed(const Cluster& cluster, const Error& error) {
  complain({fmt::format("rank {}", cluster.rank()), error.text()});
  return ExitCode::answer_is_no;
}

ExitCode served(Cluster& cluster, bool busy) {
  if (const auto error = unrest(busy)) {
    cluster.transport().abort(error->text());
    return failed(cluster, *error);
  }
  const std::unique_ptr<TimingWork> work = cluster.work();
  if (const auto error = serve(cluster.transport(), *work)) return failed(cluster, *error);
  if (const auto error = cluster.close()) return failed(cluster, *error);
  return ExitCode::done;
}

}  // namespace

ExitCode as_started(const ClusterOptions& options, bool busy,
                    const std::function<ExitCode(Cluster*)>& whole) {
  const auto identity = engine::rank_identity(engine::process_environment());
  if (!identity) return complain(identity.error());
  if (!*identity || (*identity)->by == engine::StartedBy::quintet) return whole(nullptr);
  const Result<std::unique_ptr<Cluster>> cluster = Cluster::join(**identity, options);
  if (!cluster) return complain(cluster.error());
  if ((*cluster)->rank() != 0) return served(**cluster, busy);
  const ExitCode code = whole(cluster->get());
  if (code != ExitCode::done) {
    (*cluster)->transport().abort("rank 0 ended the calibration");
    return code;
  }
  if (const auto error = (*cluster)->close()) return failed(**cluster, *error);
  return code;
}

}  // namespace quintet::calibrate
