#include "common/napi_util.h"

#include <string>

namespace wrkz {

Bytes BytesOf(Napi::Value value, const char* name) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array) {
    throw Napi::TypeError::New(value.Env(), std::string(name) + " must be a Uint8Array");
  }
  const auto array = value.As<Napi::Uint8Array>();
  return {array.Data(), array.ByteLength()};
}

Bytes RequireBytes(const Napi::CallbackInfo& info, size_t index, const char* name) {
  return BytesOf(info[index], name);
}

Bytes RequireBytes(const Napi::CallbackInfo& info, size_t index, const char* name, size_t size) {
  const Bytes bytes = RequireBytes(info, index, name);
  if (bytes.size != size) {
    throw Napi::RangeError::New(info.Env(), std::string(name) + " must be " + std::to_string(size) + " bytes");
  }
  return bytes;
}

uint8_t* RequireOutput(const Napi::CallbackInfo& info, size_t index, size_t size) {
  return const_cast<uint8_t*>(RequireBytes(info, index, "output", size).data);
}

uint64_t RequireInteger(const Napi::CallbackInfo& info, size_t index, const char* name, uint64_t max) {
  if (!info[index].IsNumber()) throw Napi::TypeError::New(info.Env(), std::string(name) + " must be a number");
  const double value = info[index].As<Napi::Number>().DoubleValue();
  if (!(value >= 0) || value > static_cast<double>(max) || value != static_cast<double>(static_cast<uint64_t>(value))) {
    throw Napi::RangeError::New(info.Env(), std::string(name) + " is out of range");
  }
  return static_cast<uint64_t>(value);
}

uint64_t RequireUint64(const Napi::CallbackInfo& info, size_t index, const char* name) {
  if (!info[index].IsBigInt()) throw Napi::TypeError::New(info.Env(), std::string(name) + " must be a bigint");
  bool lossless = false;
  const uint64_t value = info[index].As<Napi::BigInt>().Uint64Value(&lossless);
  if (!lossless) throw Napi::RangeError::New(info.Env(), std::string(name) + " must be an unsigned 64-bit integer");
  return value;
}

Napi::Buffer<uint8_t> MakeBuffer(Napi::Env env, const uint8_t* data, size_t size) {
  return Napi::Buffer<uint8_t>::Copy(env, data, size);
}

}  // namespace wrkz
