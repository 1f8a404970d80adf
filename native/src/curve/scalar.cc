#include "curve/scalar.h"

#include <cstddef>
#include <cstring>

#include "common/bytes.h"
#include "hash/keccak.h"

namespace wrkz::curve {
namespace {

using Wide = unsigned __int128;

constexpr uint64_t kL[4] = {0x5812631a5cf5d3ed, 0x14def9dea2f79cd6, 0, 0x1000000000000000};
// floor(2^512 / l), for Barrett reduction
constexpr uint64_t kMu[5] = {0xed9ce5a30a2c131b, 0x2106215d086329a7, 0xffffffffffffffeb, 0xffffffffffffffff, 0xf};

// Words of a computation with secrets. The destructor wipes them on every exit path.
template <int N>
struct SecretWords {
  uint64_t words[N] = {};
  ~SecretWords() { Wipe(words, sizeof words); }
  uint64_t& operator[](int i) { return words[i]; }
  operator uint64_t*() { return words; }
};

// r -= l when r >= l; five words.
void SubtractOnce(uint64_t r[5]) {
  SecretWords<5> d;
  uint64_t borrow = 0;
  for (int i = 0; i < 5; ++i) {
    const Wide t = static_cast<Wide>(r[i]) - (i < 4 ? kL[i] : 0) - borrow;
    d[i] = static_cast<uint64_t>(t);
    borrow = static_cast<uint64_t>(t >> 64) & 1;
  }
  const uint64_t keep = 0 - borrow;
  for (int i = 0; i < 5; ++i) r[i] = d[i] ^ (keep & (d[i] ^ r[i]));
}

// x mod l for x of eight words. Barrett with base 2^64: the quotient estimate is at most two too small.
Scalar ReduceWords(const uint64_t x[8]) {
  SecretWords<10> product;
  for (int i = 0; i < 5; ++i) {
    uint64_t carry = 0;
    for (int j = 0; j < 5; ++j) {
      const Wide t = static_cast<Wide>(x[3 + i]) * kMu[j] + product[i + j] + carry;
      product[i + j] = static_cast<uint64_t>(t);
      carry = static_cast<uint64_t>(t >> 64);
    }
    product[i + 5] = carry;
  }
  const uint64_t* quotient = product.words + 5;

  SecretWords<5> back;  // quotient * l modulo 2^320
  for (int i = 0; i < 5; ++i) {
    uint64_t carry = 0;
    for (int j = 0; j < 4 && i + j < 5; ++j) {
      const Wide t = static_cast<Wide>(quotient[i]) * kL[j] + back[i + j] + carry;
      back[i + j] = static_cast<uint64_t>(t);
      carry = static_cast<uint64_t>(t >> 64);
    }
    if (i + 4 < 5) back[i + 4] += carry;
  }

  SecretWords<5> r;
  uint64_t borrow = 0;
  for (int i = 0; i < 5; ++i) {
    const Wide t = static_cast<Wide>(x[i]) - back[i] - borrow;
    r[i] = static_cast<uint64_t>(t);
    borrow = static_cast<uint64_t>(t >> 64) & 1;
  }
  SubtractOnce(r);
  SubtractOnce(r);
  return {{r[0], r[1], r[2], r[3]}};
}

Scalar ReduceScalar(const Scalar& a) {
  SecretWords<8> x;
  for (int i = 0; i < 4; ++i) x[i] = a.v[i];
  return ReduceWords(x);
}

}  // namespace

Scalar ScalarFromBytes(const uint8_t bytes[32]) {
  return {{Load64(bytes), Load64(bytes + 8), Load64(bytes + 16), Load64(bytes + 24)}};
}

void ScalarToBytes(const Scalar& a, uint8_t bytes[32]) {
  for (int i = 0; i < 4; ++i) Store64(bytes + 8 * i, a.v[i]);
}

bool IsReduced(const uint8_t bytes[32]) {
  const Scalar a = ScalarFromBytes(bytes);
  uint64_t borrow = 0;
  for (int i = 0; i < 4; ++i) {
    borrow = static_cast<uint64_t>((static_cast<Wide>(a.v[i]) - kL[i] - borrow) >> 64) & 1;
  }
  return borrow == 1;
}

bool IsZeroScalar(const Scalar& a) { return (a.v[0] | a.v[1] | a.v[2] | a.v[3]) == 0; }

Scalar Reduce32(const uint8_t bytes[32]) { return ReduceScalar(ScalarFromBytes(bytes)); }

Scalar Reduce64(const uint8_t bytes[64]) {
  SecretWords<8> x;
  for (int i = 0; i < 8; ++i) x[i] = Load64(bytes + 8 * i);
  return ReduceWords(x);
}

Scalar AddScalars(const Scalar& a, const Scalar& b) {
  SecretWords<8> x;
  uint64_t carry = 0;
  for (int i = 0; i < 4; ++i) {
    const Wide t = static_cast<Wide>(a.v[i]) + b.v[i] + carry;
    x[i] = static_cast<uint64_t>(t);
    carry = static_cast<uint64_t>(t >> 64);
  }
  x[4] = carry;
  return ReduceWords(x);
}

Scalar SubScalars(const Scalar& a, const Scalar& b) {
  // a + (l - b), with b below l.
  Scalar reduced = ReduceScalar(b);
  Scalar negated;
  uint64_t borrow = 0;
  for (int i = 0; i < 4; ++i) {
    const Wide t = static_cast<Wide>(kL[i]) - reduced.v[i] - borrow;
    negated.v[i] = static_cast<uint64_t>(t);
    borrow = static_cast<uint64_t>(t >> 64) & 1;
  }
  const Scalar difference = AddScalars(a, negated);
  Wipe(&reduced, sizeof reduced);
  Wipe(&negated, sizeof negated);
  return difference;
}

Scalar MulScalars(const Scalar& a, const Scalar& b) {
  SecretWords<8> x;
  for (int i = 0; i < 4; ++i) {
    uint64_t carry = 0;
    for (int j = 0; j < 4; ++j) {
      const Wide t = static_cast<Wide>(a.v[i]) * b.v[j] + x[i + j] + carry;
      x[i + j] = static_cast<uint64_t>(t);
      carry = static_cast<uint64_t>(t >> 64);
    }
    x[i + 4] = carry;
  }
  return ReduceWords(x);
}

Scalar HashToScalar(const uint8_t* data, uint64_t size) {
  uint8_t hash[kHashSize];
  FastHash(data, static_cast<size_t>(size), hash);
  const Scalar scalar = Reduce32(hash);
  Wipe(hash, sizeof hash);
  return scalar;
}

void Wipe(void* memory, uint64_t size) {
  std::memset(memory, 0, static_cast<size_t>(size));
  // The compiler must assume that the memory is read afterwards, so it does not remove the stores.
  __asm__ volatile("" : : "r"(memory) : "memory");
}

__attribute__((noinline)) void WipeStack() {
  uint8_t below[32 * 1024];
  Wipe(below, sizeof below);
}

}  // namespace wrkz::curve
