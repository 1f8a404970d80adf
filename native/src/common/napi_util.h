// Validation of arguments from JavaScript: every function of the addon reads its arguments with these helpers.
#pragma once

#include <napi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wrkz {

// A view of the memory of a Uint8Array; valid only during the call that received it.
struct Bytes {
  const uint8_t* data = nullptr;
  size_t size = 0;

  std::vector<uint8_t> Copy() const { return {data, data + size}; }
};

// Argument `index` as bytes. Throws TypeError if it is not a Uint8Array; the message contains `name`.
Bytes RequireBytes(const Napi::CallbackInfo& info, size_t index, const char* name);
// Also throws RangeError if the size is not exactly `size` bytes.
Bytes RequireBytes(const Napi::CallbackInfo& info, size_t index, const char* name, size_t size);
// Argument `index` as an output buffer of exactly `size` bytes.
uint8_t* RequireOutput(const Napi::CallbackInfo& info, size_t index, size_t size);
// A value (element of an array, field of an object) as bytes.
Bytes BytesOf(Napi::Value value, const char* name);

// Argument `index` as an integer in [0, max]. Throws TypeError or RangeError otherwise.
uint64_t RequireInteger(const Napi::CallbackInfo& info, size_t index, const char* name, uint64_t max);
// Argument `index` as a bigint in [0, 2^64). Throws TypeError or RangeError otherwise.
uint64_t RequireUint64(const Napi::CallbackInfo& info, size_t index, const char* name);

Napi::Buffer<uint8_t> MakeBuffer(Napi::Env env, const uint8_t* data, size_t size);

}  // namespace wrkz
