// Checks that functions of secret keys leave no secrets on the stack. Runs them on a thread with its own stack, waits for the end of the
// thread, and searches the stack for the secret key, the nonce and their product. Prints one line for each case, and
// exits with 1 if it finds a secret. With the argument "control" it signs with a routine that wipes nothing, whose
// secret it must find: this proves that the search works.
#include <pthread.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "curve/keys.h"
#include "curve/random.h"
#include "curve/scalar.h"
#include "curve/signatures.h"

using namespace wrkz::curve;

namespace {

constexpr size_t kStackSize = 1 << 20;
constexpr size_t kMembers = 4;

struct Work {
  void (*run)(Work&);
  uint8_t hash[32];
  uint8_t secret[32], key[32], keyImage[32];
  uint8_t keys[32 * kMembers];
  uint8_t signatures[64 * kMembers];
  size_t real = 0;
};

void SignInRing(Work& work) {
  work.real = 2;
  const Ring ring{work.hash, work.keyImage, work.keys, kMembers};
  SignRing(ring, work.real, work.secret, work.signatures);
}

void MakeKeyImage(Work& work) { KeyImage(work.key, work.secret, work.keyImage); }
void MakePublicKey(Work& work) { PublicFromSecret(work.secret, work.key); }
void MakeDerivation(Work& work) { KeyDerivation(work.keys, work.secret, work.keyImage); }

// Computes the response of a signature with plain variables, which are not wiped.
__attribute__((noinline)) void SignCarelessly(Work& work) {
  volatile uint64_t copy[4];
  const Scalar secret = ScalarFromBytes(work.secret);
  for (int i = 0; i < 4; ++i) copy[i] = secret.v[i];
  Scalar kept{};
  for (int i = 0; i < 4; ++i) kept.v[i] = copy[i];
  ScalarToBytes(AddScalars(kept, kept), work.signatures + 32);
}

void* Run(void* argument) {
  auto* work = static_cast<Work*>(argument);
  work->run(*work);
  return nullptr;
}

bool Holds(const std::vector<uint8_t>& memory, const Scalar& number) {
  // Searches for each 64-bit limb, because a part of a secret is a leak as well.
  for (int i = 0; i < 4; ++i) {
    if (number.v[i] <= 0xffffffff) continue;
    for (size_t at = 0; at + 8 <= memory.size(); ++at) {
      if (std::memcmp(memory.data() + at, &number.v[i], 8) == 0) return true;
    }
  }
  return false;
}

// Returns the number of secrets that a signature leaves on the stack.
int Scan(const char* name, void (*run)(Work&)) {
  auto work = std::make_unique<Work>();
  work->run = run;
  RandomBytes(work->hash, sizeof work->hash);
  for (size_t i = 0; i < kMembers; ++i) {
    uint8_t secret[32];
    ScalarToBytes(RandomScalar(), secret);
    PublicFromSecret(secret, work->keys + 32 * i);
    if (i != 2) continue;
    std::memcpy(work->secret, secret, 32);
    std::memcpy(work->key, work->keys + 32 * i, 32);
    KeyImage(work->key, secret, work->keyImage);
  }

  void* stack = mmap(nullptr, kStackSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) return 1;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, kStackSize);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, Run, work.get()) != 0) return 1;
  pthread_join(thread, nullptr);
  const auto* first = static_cast<const uint8_t*>(stack);
  const std::vector<uint8_t> memory(first, first + kStackSize);

  const uint8_t* signature = work->signatures + 64 * work->real;
  const Scalar secret = ScalarFromBytes(work->secret);
  const Scalar product = MulScalars(ScalarFromBytes(signature), secret);
  const Scalar nonce = AddScalars(ScalarFromBytes(signature + 32), product);
  int found = 0;
  const auto look = [&](const char* what, const Scalar& number) {
    if (!Holds(memory, number)) return;
    std::printf("%s: the %s is left on the stack\n", name, what);
    found++;
  };
  look("secret key", secret);
  look("nonce", nonce);
  look("product of challenge and secret key", product);
  if (found == 0) std::printf("%s: nothing is left on the stack\n", name);
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "control") return Scan("careless", SignCarelessly) > 0 ? 1 : 0;
  int found = 0;
  for (int round = 0; round < 20; ++round) {
    found += Scan("ring signature", SignInRing);
    found += Scan("key image", MakeKeyImage);
    found += Scan("public key", MakePublicKey);
    found += Scan("key derivation", MakeDerivation);
  }
  return found > 0 ? 1 : 0;
}
