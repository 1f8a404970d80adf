// Randomness from the operating system, and from nowhere else.
#pragma once

#include <cstddef>

#include "curve/scalar.h"

namespace wrkz::curve {

// Fills `size` bytes. Throws std::runtime_error when the system gives none: there is no other source to fall back on.
void RandomBytes(void* out, size_t size);

// Uniform modulo l, from 64 random bytes.
Scalar RandomScalar();

}  // namespace wrkz::curve
