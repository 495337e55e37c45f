// Databases as Nsight Systems exports them, made by SQL: no public sample is small.
#pragma once

#include <unistd.h>

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace quintet {

class ExportFile {
 public:
  ExportFile() {
    sqlite3* made = nullptr;
    sqlite3_open(":memory:", &made);
    handle_.reset(made);
  }

  ExportFile& sql(const std::string& text) {
    char* wrong = nullptr;
    if (sqlite3_exec(handle_.get(), text.c_str(), nullptr, nullptr, &wrong) != SQLITE_OK)
      throw std::logic_error(wrong);
    return *this;
  }

  std::vector<char> bytes() const {
    sqlite3_int64 size = 0;
    unsigned char* const data = sqlite3_serialize(handle_.get(), "main", &size, 0);
    std::vector<char> copy(data, data + size);
    sqlite3_free(data);
    return copy;
  }

  std::filesystem::path write(const std::string& name) const {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / (std::to_string(getpid()) + name);
    const std::vector<char> all = bytes();
    std::ofstream(file, std::ios::binary)
        .write(all.data(), static_cast<std::streamsize>(all.size()));
    return file;
  }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

// Serialized ids: machine 1, then process and thread.
constexpr std::int64_t global(std::int64_t process, std::int64_t thread = 0) {
  return (std::int64_t{1} << 48) | (process << 24) | thread;
}

// The columns that the schema reference of 2024 lists (of those that matter, and some that do not).
inline ExportFile new_export() {
  ExportFile file;
  file.sql(R"(
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE ENUM_CUPTI_SYNC_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
CREATE TABLE TARGET_INFO_GPU (id INTEGER NOT NULL, name TEXT, busLocation TEXT);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER, uuid TEXT);
CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT, name TEXT, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,
  gridX INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,
  correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,
  correlationId INTEGER, globalPid INTEGER, value INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,
  correlationId INTEGER, globalPid INTEGER, syncType INTEGER NOT NULL, eventId INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, eventId INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
  eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL,
  returnValue INTEGER NOT NULL, callchainId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,
  rangeId INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER,
  domainId INTEGER, jsonText TEXT, binaryData TEXT);
CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER NOT NULL, schemaId INTEGER NOT NULL,
  idx INTEGER NOT NULL, flags INTEGER, type INTEGER, name TEXT, description TEXT,
  arrayOrUnionDetail INTEGER, offset INTEGER);
)");
  return file;
}

// As versions of 2020 wrote them: everything NOT NULL, no process beside kernels, no event records.
inline ExportFile old_export() {
  ExportFile file;
  file.sql(R"(
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT NOT NULL, end INT NOT NULL,
  deviceId INT NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL,
  correlationId INT NOT NULL, shortName INT NOT NULL, demangledName INT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT NOT NULL, end INT NOT NULL,
  eventClass INT NOT NULL, globalTid INT NOT NULL, correlationId INT NOT NULL,
  nameId INT NOT NULL, returnValue INT NOT NULL);
CREATE TABLE NVTX_EVENTS (start INT NOT NULL, end INT NOT NULL, eventType INT NOT NULL,
  text TEXT NOT NULL, textId INT NOT NULL, globalTid INT NOT NULL);
)");
  return file;
}

// One launch of a GEMM, a copy to the device and a fill, by thread 101 of process 100.
inline ExportFile one_process() {
  ExportFile file = new_export();
  file.sql(fmt::format(R"(
INSERT INTO StringIds VALUES (1, 'void gemm<float>(int)'), (2, 'gemm'), (3, 'cudaLaunchKernel_v7000'),
  (4, 'cudaMemcpyAsync_v3020'), (5, 'cudaMemsetAsync'), (6, 'python');
INSERT INTO ThreadNames VALUES (6, 0, {0});
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000, '', '');
INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA A100', ''), (3, 'NVIDIA H100 80GB HBM3', '');
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3, 0, 100, '');
INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (0, '', 'Hostname', 'node-7');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5000, 9000, 0, 1, NULL, 7, 11, {1}, 1, 2, NULL, 8);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (9500, 9900, 0, 1, 7, 12, {1}, 4096, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (9900, 9950, 0, 1, 20, 13, {1}, 0, 512);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 1500, 0, {0}, 11, 3, 0, NULL),
  (1600, 1700, 0, {0}, 12, 4, 0, NULL), (1700, 1800, 0, {0}, 13, 5, 0, NULL);
)",
                       global(100, 101), global(100)));
  return file;
}

}  // namespace quintet
