// ASTRA-sim's network files of its analytical back ends (astra-network-analytical @ 599a0473): a
// shape per dimension. A rank's number counts through the first dimension first.
//   topology: [ Ring, Switch ]
//   npus_count: [ 8, 4 ]
//   bandwidth: [ 400.0, 50.0 ]  # GB/s
//   latency: [ 500.0, 2000.0 ]  # ns
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/units.h"

namespace quintet {

enum class AstraShape {
  ring,             // wires both ways between neighbours; the shorter way, clockwise if equal
  fully_connected,  // a wire between every two
  star,             // "Switch": a wire to it and back from every rank
};
std::string_view name_of(AstraShape shape);  // as their files write it

struct AstraDimension {
  AstraShape shape = AstraShape::ring;
  int ranks = 2;               // from 2
  double gigabytes = 50.0;     // a second, of 2^30 bytes each; of a wire, above 0
  double nanoseconds = 500.0;  // a hop's latency, from 0
  bool operator==(const AstraDimension&) const = default;
};

// The file's "GB" is 2^30 bytes.
Bandwidth bandwidth_of(const AstraDimension& dimension);

// The two network simulations that ASTRA-sim has for such a file (traces/astra_sim/replay.h).
enum class AstraBackend { congestion_unaware, congestion_aware };

struct AstraNetwork {
  std::vector<AstraDimension> dimensions;  // from 1 to most_astra_dimensions
  bool operator==(const AstraNetwork&) const = default;
};

// Collectives of a Workload run in all dimensions; ASTRA-sim takes four where a trace does not say
// which.
inline constexpr int most_astra_dimensions = 4;
inline constexpr int most_astra_ranks = 1 << 20;  // of a network here

int ranks_of(const AstraNetwork& network);

// Errors name the line. A file of ASTRA-sim's other back ends is refused with what it is.
Result<AstraNetwork> read_astra_network(const std::filesystem::path& file);
Result<AstraNetwork> astra_network_of(const std::string& text, const std::string& where);

// What read_astra_network reads to an equal value.
std::string astra_network_text(const AstraNetwork& network);

}  // namespace quintet
