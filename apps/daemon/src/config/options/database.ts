import { ignoredOption, inGroup } from '@wrkz/service-kit';

const NO_COMPRESSION = 'SQLite does not compress';

/** Database options of the C++ programs, mapped to SQLite settings. The help names those without effect. */
export const DATABASE = inGroup('Database', [
  {
    name: 'db-read-buffer-size',
    default: 256,
    min: 1,
    max: 65_536,
    help: 'Page cache of the reading connections in megabytes; each connection gets an eighth',
  },
  {
    name: 'db-write-buffer-size',
    default: 64,
    min: 1,
    max: 65_536,
    help: 'Megabytes to which the write-ahead log is truncated; commits run a checkpoint once it reaches half of that',
  },
  {
    name: 'db-threads',
    default: 8,
    min: 1,
    max: 1024,
    help: 'Maximum number of threads that read for long RPC responses; the hardware limits it to four or fewer, never below two',
  },
  ignoredOption({ name: 'db-enable-compression', default: true, noEffect: NO_COMPRESSION }),
  ignoredOption({ name: 'db-compression-level', default: 0, noEffect: NO_COMPRESSION }),
  ignoredOption({ name: 'db-compression-dict-bytes', default: 0, min: 0, noEffect: NO_COMPRESSION }),
  ignoredOption({
    name: 'db-max-open-files',
    default: 4096,
    min: -1,
    noEffect: 'the chain is one file and its write-ahead log',
  }),
  ignoredOption({
    name: 'db-block-size',
    default: 4,
    min: 0,
    noEffect: 'the database page size is always 8 KiB',
  }),
  ignoredOption({
    name: 'db-row-cache-percent',
    default: 0,
    min: 0,
    max: 90,
    noEffect: 'SQLite caches pages, not rows',
  }),
  ignoredOption({
    name: 'db-bottom-filters',
    default: false,
    noEffect: 'lookups by hash always use filters in memory',
  }),
]);
