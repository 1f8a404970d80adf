// Arguments from JavaScript, checked: every entry of the addon reads its input through these.
#pragma once

#include <napi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wrkz {

// A view of a Uint8Array's memory; valid only while the call that received it runs.
struct Bytes {
  const uint8_t* data = nullptr;
  size_t size = 0;

  std::vector<uint8_t> Copy() const { return {data, data + size}; }
};

// Argument `index` as bytes. TypeError when it is no Uint8Array; `name` stands in the message.
Bytes RequireBytes(const Napi::CallbackInfo& info, size_t index, const char* name);
// The same, and RangeError when it is not exactly `size` bytes.
Bytes RequireBytes(const Napi::CallbackInfo& info, size_t index, const char* name, size_t size);
// Argument `index` as writable bytes of exactly `size` bytes: where a result goes.
uint8_t* RequireOutput(const Napi::CallbackInfo& info, size_t index, size_t size);
// A value (an array's element, an object's field) as bytes.
Bytes BytesOf(Napi::Value value, const char* name);

// Argument `index` as an integer in [0, max]. TypeError or RangeError otherwise.
uint64_t RequireInteger(const Napi::CallbackInfo& info, size_t index, const char* name, uint64_t max);
// Argument `index` as a bigint in [0, 2^64). TypeError or RangeError otherwise.
uint64_t RequireUint64(const Napi::CallbackInfo& info, size_t index, const char* name);

Napi::Buffer<uint8_t> MakeBuffer(Napi::Env env, const uint8_t* data, size_t size);

}  // namespace wrkz
