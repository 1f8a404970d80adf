import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { ChainReader, ChainWriter } from '../../packages/chain-db/src';
import { FINGERPRINT_LIMIT, Fingerprints } from '../../packages/chain-db/src/hash-index/page';
import { HASH_KINDS } from '../../packages/chain-db/src/hash-index/schema';
import type { HashIndex } from '../../packages/chain-db/src/hash-index/hash-index';
import type { SqliteConnection } from '../../packages/sqlite/src';
import { median, row, since } from './figures';

/** Key images in 16 MiB of blocks, the size of a commit. */
const ENTRIES_PER_COMMIT = 44_000;
const NO_HASH = Buffer.alloc(32);

/** Makes the fingerprints of all hashes odd from now on. Fingerprints of synthetic entries are even, so no lookup finds one. */
export function avoidInvented(): void {
  const { of } = Fingerprints.prototype;
  Fingerprints.prototype.of = function (hash) {
    const fingerprint = of.call(this, hash);
    return fingerprint + 1 - (fingerprint % 2);
  };
}

/** Fills the LSM index of key images with synthetic entries, which have no row. */
export function preloadKeyImages(writer: ChainWriter, total: number): void {
  const connection = Reflect.get(writer, 'connection') as SqliteConnection;
  const index = Reflect.get(writer, 'hashes') as HashIndex;
  const { of } = Fingerprints.prototype;
  const start = performance.now();
  Fingerprints.prototype.of = () => Math.floor(Math.random() * (FINGERPRINT_LIMIT / 2)) * 2;
  for (let id = 0; id < total;) {
    connection.exec('BEGIN');
    for (const end = Math.min(total, id + ENTRIES_PER_COMMIT); id < end; id++) {
      index.add(HASH_KINDS.keyImage, NO_HASH, 2 ** 29 + id);
    }
    index.flush();
    connection.exec('COMMIT');
  }
  Fingerprints.prototype.of = of;
  console.log(row('us per preloaded key image', [((since(start) * 1000) / total).toFixed(2)]));
}

/** Drops the file from the cache of the operating system. */
export function dropFromCache(file: string): void {
  execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none']);
}

/** Prints microseconds per lookup of random, unspent key images. */
export function printMisses(name: string, reader: ChainReader): void {
  const images = Array.from({ length: 5_000 }, () => randomBytes(32));
  const times = images.map((image) => {
    const start = performance.now();
    reader.keyImageHeight(image);
    return since(start) * 1000;
  });
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  console.log(row(`us per miss, ${name}`, [`mean ${mean.toFixed(1)}`, `median ${median(times).toFixed(1)}`]));
}
