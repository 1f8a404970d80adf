import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openChainDb } from '@wrkz/chain-db';
import { JOURNAL_TOPICS, JournalReader, JournalWriter } from '@wrkz/daemon';
import { copyChain, NETWORK, TIP_HEIGHT } from './chain';
import { inWorkFolder, RELEASE_TIME_MS } from './work-folder';

const FILES = ['events.sqlite', 'events.sqlite-control'];

/** Journal entries of some blocks, then one of each other topic. The reorganisation replaces the tip. */
export async function writeJournal(chainDirectory: string, to: string): Promise<void> {
  await inWorkFolder(async (directory) => {
    copyChain(chainDirectory, directory);
    const [root, tip] = lastBlocks(directory);
    const writer = await openWriter(directory);
    await writer.begin(lastBlocks(directory, TIP_HEIGHT - 5)[0]);
    await writer.complete(undefined);
    const [first, second, newTip] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
    const added = {
      ...tip,
      hash: newTip,
      previousHash: root.hash,
      timestamp: 1_700_000_000,
      transactionHashes: [first],
    };
    const events = [
      { kind: 'pool-added', hash: first },
      { kind: 'pool-added', hash: second },
      { kind: 'pool-removed', hashes: [first], reason: 'InBlock' },
      { kind: 'alternative', ...tip, hash: newTip },
      { kind: 'damage', page: 7, table: 'blocks', heights: [1, 2], isRepaired: true },
      { kind: 'double-spend', pooled: first, refused: second, keyImage: newTip },
      {
        kind: 'refused-branch',
        ...{
          fork: 300,
          height: 500,
          hash: newTip,
          reason: 'too deep',
          cumulativeDifficulty: 1n,
          remedy: '--rewind-to-height 300',
        },
      },
      { kind: 'reorganisation', rootHeight: root.height, rootHash: root.hash, added: [added], removed: [tip] },
    ] as const;
    await writer.append(events.map((event, i) => ({ event, time: RELEASE_TIME_MS + i, number: i + 1 })));
    writer.close();
    mkdirSync(to, { recursive: true });
    for (const name of FILES) copyFileSync(join(directory, name), join(to, name));
  });
}

async function openWriter(directory: string): Promise<JournalWriter> {
  const dependencies = { warn: () => undefined, now: () => RELEASE_TIME_MS };
  const writer = new JournalWriter({ directory, network: NETWORK, retentionDays: 0 }, dependencies);
  await writer.open();
  return writer;
}

export async function upgradeJournal(directory: string): Promise<void> {
  (await openWriter(directory)).close();
}

interface Position {
  readonly height: number;
  readonly hash: Buffer;
}

function lastBlocks(directory: string, height = TIP_HEIGHT - 1): [Position, Position] {
  const db = openChainDb({ directory, network: NETWORK, readonly: true });
  try {
    const [first, second] = db.reader.blockStamps(height, height + 2);
    if (first === undefined || second === undefined) throw new RangeError(`the chain has no block ${height + 1}`);
    return [
      { height: first.height, hash: first.hash },
      { height: second.height, hash: second.hash },
    ];
  } finally {
    db.close();
  }
}

/** All entries with their bodies. */
export function readJournal(directory: string): object {
  const reader = JournalReader.open(directory);
  try {
    const { journal, keptAfter, entries } = reader.page(0, JOURNAL_TOPICS, 1_000);
    return {
      journal,
      keptAfter,
      entries: entries.map((entry) => ({ ...entry, body: JSON.parse(entry.body) as unknown })),
    };
  } finally {
    reader.close();
  }
}
