// A SQLite extension with a VFS that verifies every page of a database and every frame of its write-ahead log when it is
// read. The format is that of SQLite's public checksum VFS (docs/protocol/storage.md#page-checksums): each page ends with 8
// reserved bytes, the checksum over the rest. Pages of the log keep SQLite's own frame checksums, which SQLite compares only
// when it recovers a log.
//
// The VFS becomes the default of the process when the extension is loaded. A database that reserves another number of bytes
// is rejected: all files of this suite have checksums, so a changed number is damage.
//
// SQL functions of each connection:
//   page_checksum_failure()          the last failure that this thread has detected; NULL if none
//   first_bad_page(first, count)     the lowest page in a range of the main file with a wrong checksum, or NULL
//   page_bytes(page)                 the bytes of a page of the main file, valid or not; NULL beyond its end
//   replace_bad_page(page, bytes)    overwrites a page that has a wrong checksum, with a new checksum; the caller must
//                                    prevent checkpoints. Returns 0 and writes nothing if the checksum is correct
//   keep_log_on_close()              the connection does not change the write-ahead log when it closes; NULL

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

namespace {

constexpr int kReserved = 8;
constexpr int kReservedOffset = 20;
constexpr int kDatabaseHeader = 100;
constexpr int kMinPage = 512;
constexpr int kLogHeader = 32;
constexpr int kFrameHeader = 24;
constexpr int kReadAttempts = 3;
constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
constexpr uint32_t kLogMagic = 0x377f0682;
// Regions of the index of the log (the -shm file): page numbers of frames, then a hash table from pages to frames.
constexpr uint32_t kIndexHeader = 136;
// Words of its header: frames that are in the database, and the frame up to which the running checkpoint copies.
constexpr int kCopiedFrames = 24;
constexpr int kCheckpointEnd = 32;
constexpr uint32_t kRegionFrames = 4096;
constexpr uint32_t kHashSlots = 2 * kRegionFrames;
constexpr uint32_t kHashFactor = 383;
constexpr char kMagic[] = "SQLite format 3";

using Bytes = const unsigned char*;

sqlite3_vfs* original = nullptr;
sqlite3_vfs checked;
thread_local std::string failure;

uint32_t word(Bytes at, bool bigEndian) {
  if (bigEndian) return uint32_t(at[0]) << 24 | uint32_t(at[1]) << 16 | uint32_t(at[2]) << 8 | at[3];
  return uint32_t(at[3]) << 24 | uint32_t(at[2]) << 16 | uint32_t(at[1]) << 8 | at[0];
}

// The two running sums of SQLite's log, over 8 bytes at a time.
struct Sums {
  uint32_t first = 0;
  uint32_t second = 0;

  void add(Bytes at, int size, bool bigEndian) {
    for (Bytes end = at + size; at < end; at += 8) {
      first += word(at, bigEndian) + second;
      second += word(at + 4, bigEndian) + first;
    }
  }
};

void writePageChecksum(unsigned char* page, int size) {
  Sums sums;
  sums.add(page, size - kReserved, false);
  unsigned char* at = page + size - kReserved;
  for (uint32_t sum : {sums.first, sums.second}) {
    for (int shift = 0; shift < 32; shift += 8) *at++ = static_cast<unsigned char>(sum >> shift);
  }
}

bool fitsPageChecksum(Bytes page, int size) {
  Sums sums;
  sums.add(page, size - kReserved, false);
  Bytes stored = page + size - kReserved;
  return word(stored, false) == sums.first && word(stored + 4, false) == sums.second;
}

bool isPage(int size) { return size >= kMinPage && (size & (size - 1)) == 0; }

// A database or a log. The file of the original VFS follows it in memory.
struct File {
  sqlite3_file base;
  std::string name;
  bool isLog = false;
  std::vector<unsigned char> buffer;

  // For a database: its open log, and the mapped regions of the index.
  File* log = nullptr;
  std::vector<const volatile unsigned char*> index;
  bool isCheckpointStart = false;

  // For a log: its database.
  File* database = nullptr;

  // For a log: a transaction that rewrites a page in place leaves its frame and all later ones without checksums until
  // it commits. Until then, only the writing connection reads them.
  uint32_t firstUnsettled = kNone;
  uint32_t lastWritten = 0;
  uint32_t lastHeader = kNone;

  sqlite3_file* inner() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  const sqlite3_io_methods* methods() { return inner()->pMethods; }
  int read(void* to, int size, sqlite3_int64 offset) { return methods()->xRead(inner(), to, size, offset); }
  int write(const void* from, int size, sqlite3_int64 offset) {
    return methods()->xWrite(inner(), from, size, offset);
  }
};

File* fileOf(sqlite3_file* file) { return reinterpret_cast<File*>(file); }

int fail(File* file, const std::string& what) {
  failure = file->name + ": " + what;
  sqlite3_log(SQLITE_IOERR_DATA, "%s", failure.c_str());
  return SQLITE_IOERR_DATA;
}

// True if these are the first bytes of a database; SQLite itself rejects a file without them.
bool isHeader(Bytes header) { return std::memcmp(header, kMagic, sizeof kMagic) == 0; }

int pageSizeOf(Bytes header) {
  const int stored = header[16] << 8 | header[17];
  return stored == 1 ? 65536 : stored;
}

int checkReserved(File* file, Bytes header) {
  if (header[kReservedOffset] == kReserved) return SQLITE_OK;
  return fail(file, "page 1 reserves " + std::to_string(header[kReservedOffset]) + " bytes instead of 8");
}

// The number of pages according to the header of the file; 0 if the header has none.
//
// SQLite reads a page beyond the end of the file as zeros. That is valid for a page that a transaction has allocated, but
// not for a page that the header counts.
sqlite3_int64 pagesTold(File* file) {
  unsigned char header[kDatabaseHeader];
  if (file->read(header, kDatabaseHeader, 0) != SQLITE_OK || !isHeader(header)) return 0;
  return word(header + 24, true) == word(header + 92, true) ? word(header + 28, true) : 0;
}

int readDatabase(File* file, void* to, int size, sqlite3_int64 offset) {
  int result = file->read(to, size, offset);
  auto bytes = static_cast<Bytes>(to);
  if (result == SQLITE_IOERR_SHORT_READ && isPage(size) && pagesTold(file) > offset / size) {
    return fail(file, "page " + std::to_string(offset / size + 1) + " is missing: the file ends before it");
  }
  if (result != SQLITE_OK) return result;
  if (offset == 0 && size >= kDatabaseHeader) {
    if (!isHeader(bytes)) return SQLITE_OK;
    if (checkReserved(file, bytes) != SQLITE_OK) return SQLITE_IOERR_DATA;
  }
  if (!isPage(size) || fitsPageChecksum(bytes, size)) return SQLITE_OK;
  return fail(file, "page " + std::to_string(offset / size + 1) + " does not fit its checksum");
}

int writeDatabase(File* file, const void* from, int size, sqlite3_int64 offset) {
  auto bytes = static_cast<Bytes>(from);
  if (!isPage(size)) return file->write(from, size, offset);
  if (offset == 0) {
    if (checkReserved(file, bytes) != SQLITE_OK) return SQLITE_IOERR_DATA;
    // VACUUM writes pages of another size in pieces of the old size.
    if (pageSizeOf(bytes) != size) return fail(file, "the page size cannot be changed");
  }
  file->buffer.assign(bytes, bytes + size);
  writePageChecksum(file->buffer.data(), size);
  return file->write(file->buffer.data(), size, offset);
}

// The position of a frame in the log, or kNone if the read or write is not a frame.
uint32_t frameAt(sqlite3_int64 offset, sqlite3_int64 pageSize) {
  const sqlite3_int64 step = kFrameHeader + pageSize;
  const sqlite3_int64 from = offset - kLogHeader;
  return from >= 0 && from % step == 0 ? static_cast<uint32_t>(from / step) : kNone;
}

int readLog(File* file, void* to, int size, sqlite3_int64 offset) {
  int result = file->read(to, size, offset);
  // SQLite verifies whole frames itself when it recovers a log; afterwards it reads pages only.
  if (result != SQLITE_OK || !isPage(size)) return result;
  const uint32_t frame = frameAt(offset - kFrameHeader, size);
  if (frame == kNone || frame >= file->firstUnsettled) return result;
  unsigned char header[kLogHeader], before[kFrameHeader], own[kFrameHeader];
  result = file->read(header, kLogHeader, 0);
  if (result == SQLITE_OK) result = file->read(own, kFrameHeader, offset - kFrameHeader);
  if (result == SQLITE_OK && frame > 0) {
    result = file->read(before, kFrameHeader, offset - 2 * kFrameHeader - size);
  }
  if (result != SQLITE_OK) return result;
  // The last bit of the magic number is the byte order of the words.
  const bool bigEndian = (word(header, true) & 1) != 0;
  Bytes last = frame > 0 ? before + 16 : header + 24;
  Sums sums{word(last, true), word(last + 4, true)};
  sums.add(own, 8, bigEndian);
  sums.add(static_cast<Bytes>(to), size, bigEndian);
  const bool fits = word(own + 16, true) == sums.first && word(own + 20, true) == sums.second;
  if (fits && (word(header, true) & ~1u) == kLogMagic && word(header + 8, true) == static_cast<uint32_t>(size)) {
    return SQLITE_OK;
  }
  return fail(file, "frame " + std::to_string(frame + 1) + ", page " + std::to_string(word(own, true)) +
                        ", does not fit its checksum");
}

void noteFrameHeader(File* file, Bytes header, uint32_t frame) {
  file->lastHeader = frame;
  const bool isSettled = word(header + 8, true) != 0 || word(header + 12, true) != 0;
  if (!isSettled) {
    if (frame < file->firstUnsettled) file->firstUnsettled = frame;
  } else if (frame < file->firstUnsettled) {
    // A transaction starts at the position of one that was rolled back.
    file->firstUnsettled = kNone;
  } else {
    file->firstUnsettled = frame >= file->lastWritten ? kNone : frame + 1;
  }
}

// SQLite writes the header of a frame and its page one after the other. Only the header of the log names the page size.
int writeLog(File* file, const void* from, int size, sqlite3_int64 offset) {
  auto bytes = static_cast<Bytes>(from);
  if (size == kFrameHeader) {
    unsigned char header[kLogHeader];
    if (file->read(header, kLogHeader, 0) == SQLITE_OK) {
      const uint32_t frame = frameAt(offset, word(header + 8, true));
      if (frame != kNone) noteFrameHeader(file, bytes, frame);
    }
  } else if (isPage(size)) {
    const uint32_t frame = frameAt(offset - kFrameHeader, size);
    if (frame != kNone) {
      const bool isRewritten = frame != file->lastHeader;
      if (isRewritten && frame < file->firstUnsettled) file->firstUnsettled = frame;
      if (!isRewritten || frame > file->lastWritten) file->lastWritten = frame;
      file->lastHeader = kNone;
    }
  }
  return file->write(from, size, offset);
}

// True if the index has the page number of a frame, and a lookup of the page finds the frame.
bool isIndexed(File* file, uint32_t frame, uint32_t page) {
  // The header takes the place of the first page numbers.
  const uint32_t missing = kIndexHeader / 4;
  const uint32_t region = (frame + missing) / kRegionFrames;
  if (region >= file->index.size() || file->index[region] == nullptr) return true;
  const volatile unsigned char* start = file->index[region];
  const uint32_t first = region == 0 ? 0 : region * kRegionFrames - missing;
  auto pages = reinterpret_cast<const volatile uint32_t*>(start + (region == 0 ? kIndexHeader : 0));
  auto slots = reinterpret_cast<const volatile uint16_t*>(start + 4 * kRegionFrames);
  if (pages[frame - first] != page) return false;
  uint32_t slot = page * kHashFactor % kHashSlots;
  for (uint32_t tries = 0; tries < kHashSlots && slots[slot] != 0; tries++, slot = (slot + 1) % kHashSlots) {
    if (slots[slot] == frame - first + 1) return true;
  }
  return false;
}

// The index is memory that processes share, and has no checksums. A checkpoint that follows a wrong page number writes a page
// to a wrong place or drops it, so the index is compared with the log first.
//
// A checkpoint has mapped the regions of the frames that it copies, and holds the locks without which no connection changes
// these frames or their index.
int checkIndex(File* file) {
  if (file->log == nullptr || file->index.empty() || file->index[0] == nullptr) return SQLITE_OK;
  auto words = reinterpret_cast<const volatile uint32_t*>(file->index[0]);
  unsigned char header[kLogHeader], frame[kFrameHeader];
  if (file->log->read(header, kLogHeader, 0) != SQLITE_OK) return SQLITE_OK;
  const sqlite3_int64 step = kFrameHeader + sqlite3_int64(word(header + 8, true));
  const uint32_t end = words[kCheckpointEnd];
  for (uint32_t number = words[kCopiedFrames]; number < end; number++) {
    if (file->log->read(frame, kFrameHeader, kLogHeader + number * step) != SQLITE_OK) return SQLITE_OK;
    const uint32_t page = word(frame, true);
    if (isIndexed(file, number, page)) continue;
    return fail(file, "the -shm file does not lead to frame " + std::to_string(number + 1) + " of the log, page " +
                          std::to_string(page) + ". Stop all programs that use the file, then start them again");
  }
  return SQLITE_OK;
}

int xShmMap(sqlite3_file* base, int region, int size, int extend, void volatile** mapped) {
  File* file = fileOf(base);
  const int result = file->methods()->xShmMap(file->inner(), region, size, extend, mapped);
  if (result == SQLITE_OK && *mapped != nullptr) {
    if (file->index.size() <= static_cast<size_t>(region)) file->index.resize(static_cast<size_t>(region) + 1);
    file->index[static_cast<size_t>(region)] = static_cast<const volatile unsigned char*>(*mapped);
  }
  return result;
}

int xShmUnmap(sqlite3_file* base, int remove) {
  File* file = fileOf(base);
  file->index.clear();
  return file->methods()->xShmUnmap(file->inner(), remove);
}

int xClose(sqlite3_file* base) {
  File* file = fileOf(base);
  if (file->database != nullptr) file->database->log = nullptr;
  int result = file->methods()->xClose(file->inner());
  file->~File();
  return result;
}

int xRead(sqlite3_file* base, void* to, int size, sqlite3_int64 offset) {
  File* file = fileOf(base);
  return file->isLog ? readLog(file, to, size, offset) : readDatabase(file, to, size, offset);
}

int xWrite(sqlite3_file* base, const void* from, int size, sqlite3_int64 offset) {
  File* file = fileOf(base);
  return file->isLog ? writeLog(file, from, size, offset) : writeDatabase(file, from, size, offset);
}

// Every other method is that of the original VFS.
template <auto Method, typename... Arguments>
auto forward(sqlite3_file* base, Arguments... arguments) {
  File* file = fileOf(base);
  return (file->methods()->*Method)(file->inner(), arguments...);
}

int xFileControl(sqlite3_file* base, int operation, void* argument) {
  if (operation == SQLITE_FCNTL_CKPT_START) fileOf(base)->isCheckpointStart = true;
  return forward<&sqlite3_io_methods::xFileControl>(base, operation, argument);
}

// SQLite ignores an error of SQLITE_FCNTL_CKPT_START. It reads the size next, and then an error ends the checkpoint.
int xFileSize(sqlite3_file* base, sqlite3_int64* size) {
  File* file = fileOf(base);
  const bool isCheckpointStart = std::exchange(file->isCheckpointStart, false);
  if (isCheckpointStart && checkIndex(file) != SQLITE_OK) return SQLITE_IOERR_DATA;
  return file->methods()->xFileSize(file->inner(), size);
}

// A page must be read whole to be verified.
int xDeviceCharacteristics(sqlite3_file* base) {
  return forward<&sqlite3_io_methods::xDeviceCharacteristics>(base) & ~SQLITE_IOCAP_SUBPAGE_READ;
}

// Version 2 has no memory mapping, which would bypass the verification.
const sqlite3_io_methods kMethods = {
    2,
    xClose,
    xRead,
    xWrite,
    forward<&sqlite3_io_methods::xTruncate, sqlite3_int64>,
    forward<&sqlite3_io_methods::xSync, int>,
    xFileSize,
    forward<&sqlite3_io_methods::xLock, int>,
    forward<&sqlite3_io_methods::xUnlock, int>,
    forward<&sqlite3_io_methods::xCheckReservedLock, int*>,
    xFileControl,
    forward<&sqlite3_io_methods::xSectorSize>,
    xDeviceCharacteristics,
    xShmMap,
    forward<&sqlite3_io_methods::xShmLock, int, int, int>,
    forward<&sqlite3_io_methods::xShmBarrier>,
    xShmUnmap,
    nullptr,
    nullptr,
};

int xOpen(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* base, int flags, int* outFlags) {
  if ((flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) == 0) {
    return original->xOpen(original, name, base, flags, outFlags);
  }
  base->pMethods = nullptr;
  auto inner = reinterpret_cast<sqlite3_file*>(fileOf(base) + 1);
  int result = original->xOpen(original, name, inner, flags, outFlags);
  if (result != SQLITE_OK) {
    if (inner->pMethods != nullptr) inner->pMethods->xClose(inner);
    return result;
  }
  File* file = new (base) File();
  file->base.pMethods = &kMethods;
  file->name = name == nullptr ? "(temporary)" : name;
  file->isLog = (flags & SQLITE_OPEN_WAL) != 0;
  if (file->isLog) {
    sqlite3_file* database = sqlite3_database_file_object(name);
    if (database->pMethods == &kMethods) {
      file->database = fileOf(database);
      file->database->log = file;
    }
  }
  return SQLITE_OK;
}

void pageChecksumFailure(sqlite3_context* context, int, sqlite3_value**) {
  if (failure.empty()) return;
  sqlite3_result_text(context, failure.data(), static_cast<int>(failure.size()), SQLITE_TRANSIENT);
}

// A checkpoint may be writing the page at this moment, so a page with a wrong checksum is read again.
bool isBadPage(File* file, unsigned char* page, int size, sqlite3_int64 number, int* result) {
  for (int attempt = 1;; attempt++) {
    *result = file->read(page, size, (number - 1) * size);
    if (*result != SQLITE_OK || fitsPageChecksum(page, size)) return false;
    if (attempt == kReadAttempts) return true;
    sqlite3_sleep(1);
  }
}

// The main file of a connection and its page size; the size is 0 if the header has none.
struct MainFile {
  File* file = nullptr;
  int pageSize = 0;
  sqlite3_int64 bytes = 0;
  int result = SQLITE_OK;

  explicit MainFile(sqlite3_context* context) {
    sqlite3_file* base = nullptr;
    sqlite3_file_control(sqlite3_context_db_handle(context), "main", SQLITE_FCNTL_FILE_POINTER, &base);
    if (base == nullptr || base->pMethods != &kMethods) return;
    file = fileOf(base);
    unsigned char header[kDatabaseHeader];
    result = file->read(header, kDatabaseHeader, 0);
    if (result == SQLITE_OK) result = file->methods()->xFileSize(file->inner(), &bytes);
    if (result != SQLITE_OK) return;
    const int stored = pageSizeOf(header);
    if (isPage(stored)) pageSize = stored;
  }

  bool isEmpty() const { return file == nullptr || result == SQLITE_IOERR_SHORT_READ; }
  bool has(sqlite3_int64 number) const { return pageSize > 0 && number > 0 && number * pageSize <= bytes; }
};

void firstBadPage(sqlite3_context* context, int, sqlite3_value** arguments) {
  MainFile main(context);
  if (main.isEmpty()) return;
  if (main.result != SQLITE_OK) return sqlite3_result_error_code(context, main.result);
  if (main.pageSize == 0) return sqlite3_result_int64(context, 1);
  std::vector<unsigned char> page(static_cast<size_t>(main.pageSize));
  const sqlite3_int64 first = sqlite3_value_int64(arguments[0]);
  const sqlite3_int64 end = first + sqlite3_value_int64(arguments[1]);
  for (sqlite3_int64 number = first; number < end && main.has(number); number++) {
    int result = SQLITE_OK;
    const bool isBad = isBadPage(main.file, page.data(), main.pageSize, number, &result);
    if (result != SQLITE_OK) return sqlite3_result_error_code(context, result);
    if (isBad) return sqlite3_result_int64(context, number);
  }
}

void pageBytes(sqlite3_context* context, int, sqlite3_value** arguments) {
  MainFile main(context);
  const sqlite3_int64 number = sqlite3_value_int64(arguments[0]);
  if (main.isEmpty() || !main.has(number)) return;
  std::vector<unsigned char> page(static_cast<size_t>(main.pageSize));
  const int result = main.file->read(page.data(), main.pageSize, (number - 1) * main.pageSize);
  if (result != SQLITE_OK) return sqlite3_result_error_code(context, result);
  sqlite3_result_blob(context, page.data(), main.pageSize, SQLITE_TRANSIENT);
}

void replaceBadPage(sqlite3_context* context, int, sqlite3_value** arguments) {
  MainFile main(context);
  const sqlite3_int64 number = sqlite3_value_int64(arguments[0]);
  const int size = sqlite3_value_bytes(arguments[1]);
  if (main.isEmpty() || !main.has(number) || size != main.pageSize) {
    return sqlite3_result_error_code(context, SQLITE_RANGE);
  }
  auto bytes = static_cast<Bytes>(sqlite3_value_blob(arguments[1]));
  std::vector<unsigned char> page(bytes, bytes + size);
  std::vector<unsigned char> old(page.size());
  int result = SQLITE_OK;
  const bool isBad = isBadPage(main.file, old.data(), size, number, &result);
  if (result == SQLITE_OK && isBad) {
    writePageChecksum(page.data(), size);
    result = main.file->write(page.data(), size, (number - 1) * size);
    if (result == SQLITE_OK) result = main.file->methods()->xSync(main.file->inner(), SQLITE_SYNC_NORMAL);
  }
  if (result != SQLITE_OK) return sqlite3_result_error_code(context, result);
  sqlite3_result_int(context, isBad ? 1 : 0);
}

// Without this, the last connection that closes copies the log into the file and deletes the log.
void keepLogOnClose(sqlite3_context* context, int, sqlite3_value**) {
  const int result = sqlite3_db_config(sqlite3_context_db_handle(context), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  if (result != SQLITE_OK) sqlite3_result_error_code(context, result);
}

// SQLite calls this for every new connection.
int onConnection(sqlite3* db, char**, const sqlite3_api_routines*) {
  int reserved = kReserved;
  sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
  struct Function {
    const char* name;
    int arguments;
    void (*run)(sqlite3_context*, int, sqlite3_value**);
  };
  for (const Function& function : {Function{"page_checksum_failure", 0, pageChecksumFailure},
                                   Function{"first_bad_page", 2, firstBadPage}, Function{"page_bytes", 1, pageBytes},
                                   Function{"replace_bad_page", 2, replaceBadPage},
                                   Function{"keep_log_on_close", 0, keepLogOnClose}}) {
    const int result = sqlite3_create_function_v2(db, function.name, function.arguments,
                                                  SQLITE_UTF8 | SQLITE_DIRECTONLY, nullptr, function.run, nullptr,
                                                  nullptr, nullptr);
    if (result != SQLITE_OK) return result;
  }
  return SQLITE_OK;
}

}  // namespace

#define EXPORT __attribute__((visibility("default")))

// Loaded once per process; the VFS stays when the connection that loaded it is closed.
extern "C" EXPORT int sqlite3_extension_init(sqlite3* db, char** error, const sqlite3_api_routines* api) {
  SQLITE_EXTENSION_INIT2(api);
  static const int result = [] {
    original = sqlite3_vfs_find(nullptr);
    checked = *original;
    checked.zName = "page-checksums";
    checked.pNext = nullptr;
    checked.szOsFile = original->szOsFile + static_cast<int>(sizeof(File));
    checked.xOpen = xOpen;
    int registered = sqlite3_vfs_register(&checked, 1);
    if (registered != SQLITE_OK) return registered;
    return sqlite3_auto_extension(reinterpret_cast<void (*)()>(onConnection));
  }();
  if (result != SQLITE_OK) return result;
  const int registered = onConnection(db, error, api);
  return registered == SQLITE_OK ? SQLITE_OK_LOAD_PERMANENTLY : registered;
}
