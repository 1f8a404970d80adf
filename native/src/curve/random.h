// Random bytes from the operating system, with no other source.
#pragma once

#include <cstddef>

#include "curve/scalar.h"

namespace wrkz::curve {

// Fills `size` bytes. Throws std::runtime_error if the system call fails; there is no fallback source.
void RandomBytes(void* out, size_t size);

// Uniform modulo l, from 64 random bytes.
Scalar RandomScalar();

}  // namespace wrkz::curve
