import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SnapshotHeader } from '../../src';
import { FrameReader, FrameWriter } from '../../src/snapshot/frames';
import { decodeRecord, encodeRecord, type SnapshotRecord } from '../../src/snapshot/records';
import { loadZstd } from '../../src/snapshot/zstd';
import { freshDirectory } from './directories';

/** A manipulated snapshot file with a correct digest. */
export interface Crafted {
  readonly path: string;
  readonly header: SnapshotHeader;
}

/** Returns the changed record, or undefined to omit it. */
export type Change = (record: SnapshotRecord) => SnapshotRecord | undefined;

/** Creates a manipulated snapshot from an honest one: changed records in key order, and a matching header. */
export async function crafted(honest: Buffer, change: Change, header: Partial<SnapshotHeader> = {}): Promise<Crafted> {
  const folder = freshDirectory();
  const source = join(folder, 'honest');
  writeFileSync(source, honest);
  const zstd = await loadZstd();
  const reader = new FrameReader(source, zstd);
  const records: [Buffer, Buffer][] = [];
  for (const frame of reader.frames()) {
    for (const { key, value } of frame) {
      const changed = change(decodeRecord(key, value));
      if (changed === undefined) continue;
      const { key: newKey, value: newValue } = encodeRecord(changed);
      records.push([newKey, newValue]);
    }
  }
  reader.close();
  const path = join(folder, 'crafted.litesnap');
  const fd = openSync(path, 'wx');
  const writer = new FrameWriter(fd, zstd);
  for (const [key, value] of records.sort(([a], [b]) => a.compare(b))) writer.add({ key, value });
  const whole = writer.finish({ ...reader.header, ...header });
  closeSync(fd);
  return { path, header: whole };
}
