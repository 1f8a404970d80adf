#include "curve/random.h"

#include <unistd.h>
#if defined(__APPLE__)
#include <sys/random.h>
#endif

#include <algorithm>
#include <stdexcept>

namespace wrkz::curve {

void RandomBytes(void* out, size_t size) {
  uint8_t* next = static_cast<uint8_t*>(out);
  while (size > 0) {
    const size_t part = std::min<size_t>(size, 256);  // maximum of one call
    if (getentropy(next, part) != 0) throw std::runtime_error("the operating system gave no randomness");
    next += part;
    size -= part;
  }
}

Scalar RandomScalar() {
  uint8_t wide[64];
  RandomBytes(wide, sizeof wide);
  const Scalar r = Reduce64(wide);
  Wipe(wide, sizeof wide);
  return r;
}

}  // namespace wrkz::curve
