import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportSnapshot, importSnapshot } from '../../src';
import { chainA } from '../support/chain-a';
import { cleanUp, freshDirectory, openHere, writerOf } from '../support/directories';

/* One flipped bit in a snapshot: at WRKZ_FLIPS (200) random positions, and each bit of the headers and the end of the file. */

afterEach(cleanUp);

const LITE = 600;
const FLIPS = Number(process.env['WRKZ_FLIPS'] ?? 200);
/** Bytes of the file header, the lengths of a frame, and the header of zstd. */
const AROUND = 128 + 8 + 18;

test(`${String(FLIPS)} random bits, and all of the first ${String(AROUND)} bytes`, async () => {
  const db = openHere();
  writerOf(db).append(chainA());
  const path = join(freshDirectory(), 'a.litesnap');
  const { digest } = await exportSnapshot({ reader: db.reader, network: 'devnet', liteHeight: LITE, path });
  const bytes = readFileSync(path);
  const bits = [
    ...Array.from({ length: AROUND * 8 }, (_, i) => i),
    ...Array.from({ length: FLIPS }, () => Math.floor(Math.random() * bytes.length * 8)),
    ...Array.from({ length: 64 }, (_, i) => (bytes.length - 8) * 8 + i),
  ];
  const taken: number[] = [];
  for (const bit of bits) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    writeFileSync(path, flipped);
    // The operator accepts the digest of the original file only.
    const accepted = [digest.toString('hex')];
    const directory = join(freshDirectory(), 'none');
    await importSnapshot({ path, directory, network: 'devnet', liteHeight: LITE, accepted, dryRun: true }).then(
      () => taken.push(bit),
      () => undefined,
    );
  }
  expect(taken).toEqual([]);
});
