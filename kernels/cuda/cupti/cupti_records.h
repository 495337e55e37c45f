// CUPTI's records of a buffer as plain data.
#pragma once

#include "kernels/activity_recorder.h"
#include "kernels/cuda/cupti/cupti_functions.h"
#include "kernels/cuda/cupti/record_buffers.h"

namespace quintet::kernels::cuda {

// The kind of external correlation that purposes are pushed as.
inline constexpr CUpti_ExternalCorrelationKind purpose_kind =
    CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

// Adds what the buffer tells, up to the first record that CUPTI cannot make out; kinds that nobody
// needs are passed over.
void read_records(const CuptiFunctions& cupti, const FullBuffer& buffer, DeviceRecords& into);

}  // namespace quintet::kernels::cuda
