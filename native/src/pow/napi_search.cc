#include <memory>

#include "common/async.h"
#include "common/napi_modules.h"
#include "common/napi_util.h"
#include "pow/napi_pow.h"
#include "pow/pow.h"
#include "pow/search.h"

namespace wrkz {
namespace {

SearchTask RequireTask(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const PowAlgorithm algorithm = RequireAlgorithm(info, 0);
  const Bytes data = RequireBytes(info, 1, "data");
  RequireInputSize(env, algorithm, data.size);
  const uint64_t offset = RequireInteger(info, 2, "nonceOffset", data.size);
  const uint64_t size = RequireInteger(info, 3, "nonceSize", 8);
  if ((size != 4 && size != 8) || offset + size > data.size) {
    throw Napi::RangeError::New(env, "the nonce must be 4 or 8 bytes inside the data");
  }
  const uint64_t difficulty = RequireUint64(info, 4, "difficulty");
  const uint64_t first = RequireUint64(info, 5, "startNonce");
  const uint64_t last = RequireUint64(info, 6, "maxNonce");
  if (first > last || (size == 4 && last > 0xffffffff)) throw Napi::RangeError::New(env, "the nonce range is not valid");
  return {algorithm, data.Copy(), static_cast<size_t>(offset), static_cast<size_t>(size), difficulty, first, last};
}

// startSearch(algorithm, data, nonceOffset, nonceSize, difficulty, first, last, threads, done): {stop(), hashes(): bigint}
// done(error: string | null, nonce: bigint | null, hash: Buffer | null) is called once.
Napi::Value StartSearch(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  auto search = std::make_shared<Search>(RequireTask(info));
  const size_t threads = static_cast<size_t>(RequireInteger(info, 7, "threads", 1024));
  if (threads == 0) throw Napi::RangeError::New(env, "threads is out of range");
  if (!info[8].IsFunction()) throw Napi::TypeError::New(env, "done must be a function");
  auto done = std::make_shared<Napi::FunctionReference>(Napi::Persistent(info[8].As<Napi::Function>()));
  // If the environment ends during the search, it has already released the reference.
  done->SuppressDestruct();

  const std::shared_ptr<Mailbox> mailbox = MailboxOf(env);
  mailbox->Hold();
  search->Start(
      threads, [mailbox] { return mailbox->closed(); },
      [search = search.get(), mailbox, done] {
        // The thread that runs this callback owns the search until the call posted below owns it.
        mailbox->Post([kept = search->shared_from_this(), mailbox, done](Napi::Env later) {
          mailbox->Release();
          const Napi::Value null = later.Null();
          const bool failed = !kept->error().empty() && !kept->found();
          const Napi::Function callback = done->Value();
          done->Reset();
          callback.Call({failed ? Napi::String::New(later, kept->error()).As<Napi::Value>() : null,
                         kept->found() ? Napi::BigInt::New(later, kept->nonce()).As<Napi::Value>() : null,
                         kept->found() ? MakeBuffer(later, kept->hash(), 32).As<Napi::Value>() : null});
        });
      });

  Napi::Object handle = Napi::Object::New(env);
  handle.Set("stop", Napi::Function::New(env, [search](const Napi::CallbackInfo&) { search->Stop(); }));
  handle.Set("hashes", Napi::Function::New(env, [search](const Napi::CallbackInfo& call) -> Napi::Value {
               return Napi::BigInt::New(call.Env(), search->hashes());
             }));
  return handle;
}

}  // namespace

void RegisterSearch(Napi::Env env, Napi::Object exports) {
  exports.Set("startSearch", Napi::Function::New(env, StartSearch));
}

}  // namespace wrkz
