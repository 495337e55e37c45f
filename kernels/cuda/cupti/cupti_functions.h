// What is asked of CUPTI, found in the library at run time; tests give functions of their own.
#pragma once

#include <cupti.h>

namespace quintet::kernels::cuda {

struct CuptiFunctions {
  decltype(&cuptiGetVersion) version = nullptr;
  decltype(&cuptiGetResultString) result_text = nullptr;
  decltype(&cuptiSubscribe) subscribe = nullptr;
  decltype(&cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&cuptiEnableCallback) enable_callback = nullptr;
  decltype(&cuptiGetGraphNodeId) graph_node = nullptr;
  decltype(&cuptiActivityRegisterTimestampCallback) set_clock = nullptr;
  decltype(&cuptiActivitySetAttribute) set_attribute = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) set_buffers = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityEnableRuntimeApi) enable_runtime_call = nullptr;
  decltype(&cuptiActivityEnableDriverApi) enable_driver_call = nullptr;
  decltype(&cuptiActivityPushExternalCorrelationId) push = nullptr;
  decltype(&cuptiActivityPopExternalCorrelationId) pop = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped = nullptr;
};

}  // namespace quintet::kernels::cuda
