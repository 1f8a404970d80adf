import { createHash } from 'node:crypto';
import { openDatabase } from '@wrkz/sqlite';
import type { NodeEvent } from '../../../src/events/node-events';
import type { CompletionReader } from '../../../src/events/journal/chain-follower';
import { JOURNAL_TOPICS, type JournalEntry } from '../../../src/events/journal/entry';
import { JournalReader } from '../../../src/events/journal/reader';
import { journalOptions } from '../../../src/events/journal/schema';
import { JournalStore } from '../../../src/events/journal/store';

let made = 0;

/** 32 bytes that no other call gives. */
export const freshHash = (): Buffer =>
  createHash('sha256')
    .update(`${(made += 1)}`)
    .digest();

export interface ModelBlock {
  readonly height: number;
  readonly hash: Buffer;
  readonly previousHash: Buffer;
  readonly timestamp: number;
  readonly transactionHashes: readonly Buffer[];
}

/** A chain in memory that gives the events of its changes. */
export class ModelChain {
  readonly blocks: ModelBlock[] = [];

  constructor() {
    this.grow();
  }

  get tip(): ModelBlock {
    return this.blocks.at(-1) as ModelBlock;
  }

  grow(transactions: readonly Buffer[] = []): NodeEvent {
    const block: ModelBlock = {
      height: this.blocks.length,
      hash: freshHash(),
      previousHash: this.blocks.at(-1)?.hash ?? Buffer.alloc(32),
      timestamp: 1000 + this.blocks.length,
      transactionHashes: [freshHash(), ...transactions],
    };
    this.blocks.push(block);
    return { kind: 'block', ...block, catchingUp: false };
  }

  /** Removes and adds some blocks, but never genesis. */
  turn(back: number, forth: number): NodeEvent {
    const removed = this.blocks.splice(Math.max(1, this.blocks.length - back));
    const root = this.tip;
    for (let i = 0; i < forth; i++) this.grow();
    const added = this.blocks.slice(root.height + 1);
    return { kind: 'reorganisation', rootHeight: root.height, rootHash: root.hash, added, removed };
  }

  readonly reader: CompletionReader = {
    snapshot: (read) => read(),
    floors: () => ({ bodies: 0, records: 0, lite: undefined }),
    height: () => this.blocks.length - 1,
    hashAt: (height) => this.blocks[height]?.hash,
    blockStamps: (start, end) =>
      this.blocks.slice(Math.max(0, start), end).map(({ height, hash, timestamp }) => {
        return { height, hash, timestamp, timestampLag: 0, generatedTransactions: 0 };
      }),
    transactionHashes: (height) => [...(this.blocks[height]?.transactionHashes ?? [])],
  };
}

/** The writing side on this thread. */
export function openStore(directory: string): JournalStore {
  return new JournalStore(openDatabase(journalOptions(directory, 'write')));
}

/** All entries above a number. */
export function entriesIn(directory: string, after = 0): JournalEntry[] {
  const reader = JournalReader.open(directory);
  const all: JournalEntry[] = [];
  try {
    for (let from = after; ;) {
      const { entries, next } = reader.page(from, JOURNAL_TOPICS, 1000);
      if (entries.length === 0) return all;
      all.push(...entries.map((entry) => ({ ...entry, body: JSON.parse(entry.body) as JournalEntry['body'] })));
      from = next;
    }
  } finally {
    reader.close();
  }
}
