import { crc32 } from 'node:zlib';
import type { JournalState } from './state';

/** What is read from the journal is not what was written. */
export class DamagedJournal extends Error {
  override readonly name = 'DamagedJournal';
}

export function entryChecksum(number: number, topic: number, time: number, body: string): number {
  return crc32(`${number} ${topic} ${time} ${body}`);
}

export function followedChecksum(height: number, hash: Buffer): number {
  return crc32(hash, height);
}

export function stateChecksum({ journal, last, keptAfter }: JournalState): number {
  return crc32(`${journal} ${last} ${keptAfter}`);
}
