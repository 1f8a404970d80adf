// Arithmetic modulo l, the order of the base point, in constant time. Bytes are little-endian.
#pragma once

#include <cstdint>

namespace wrkz::curve {

struct Scalar {
  uint64_t v[4];
};

// The unreduced number, below 2^256; it may be l or more.
Scalar ScalarFromBytes(const uint8_t bytes[32]);
void ScalarToBytes(const Scalar& a, uint8_t bytes[32]);

// True if less than l, as required of signatures and stored secrets.
bool IsReduced(const uint8_t bytes[32]);
bool IsZeroScalar(const Scalar& a);

Scalar Reduce32(const uint8_t bytes[32]);
Scalar Reduce64(const uint8_t bytes[64]);

// Operands below 2^256, results below l.
Scalar AddScalars(const Scalar& a, const Scalar& b);
Scalar SubScalars(const Scalar& a, const Scalar& b);       // a - b
Scalar MulScalars(const Scalar& a, const Scalar& b);

// hash_to_scalar: Keccak of the data modulo l.
Scalar HashToScalar(const uint8_t* data, uint64_t size);

// Overwrites memory that held a secret; the compiler cannot remove the stores.
void Wipe(void* memory, uint64_t size);

// Overwrites 32 KiB of the stack below the caller. Call it after a function with secrets has returned: the compiler may have
// copied their words anywhere in the frame of that function, where no destructor wipes them.
void WipeStack();

}  // namespace wrkz::curve
