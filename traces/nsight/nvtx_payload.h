// What a program attaches to its NVTX ranges, after a schema that it registered: NCCL's
// communicators, sizes and peers. Layout of the blob: 32 bytes of head (domain, schema, size of the
// payload, size of all: 64 bits each), then the fields where their schema says.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "traces/nsight/database.h"

namespace quintet::nsight {

class NvtxPayloads {
 public:
  std::optional<Error> read_schemas(const Database& database);

  // A whole number under that name ("Message size [bytes]"); none: no such field.
  std::optional<std::int64_t> field(std::string_view blob, const std::string& name) const;

 private:
  struct Field {
    std::int64_t type = 0, offset = 0;  // NVTX_PAYLOAD_ENTRY_TYPE_...; bytes
  };
  std::map<std::pair<std::int64_t, std::string>, Field> fields_;  // by schema and name
};

}  // namespace quintet::nsight
