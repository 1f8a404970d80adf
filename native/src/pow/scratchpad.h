// Memory for scratchpads: one region a thread, grown when needed and kept.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wrkz {

// At least `size` bytes for the calling thread, page aligned, in huge pages where the system gives them.
// Valid until the thread asks again or ends. The content is whatever the last use left. Throws std::bad_alloc.
uint8_t* ThreadScratchpad(size_t size);

}  // namespace wrkz
