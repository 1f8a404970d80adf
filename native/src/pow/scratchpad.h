// Memory for scratchpads: one region per thread, which grows on demand and is reused.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wrkz {

// At least `size` bytes for the calling thread, page aligned, in huge pages if the system provides them.
// Valid until the next call of this thread or its end. The content is undefined. Throws std::bad_alloc.
uint8_t* ThreadScratchpad(size_t size);

}  // namespace wrkz
