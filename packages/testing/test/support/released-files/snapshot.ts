import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { exportSnapshot, importSnapshot, openChainDb, verifyChain } from '@wrkz/chain-db';
import { toHex } from '@wrkz/core-types';
import { NETWORK } from './chain';
import { inWorkFolder } from './work-folder';

const LITE_HEIGHT = 60;
export const SNAPSHOT_FILE = 'lite-node.snapshot';

export async function writeSnapshot(chainDirectory: string, to: string): Promise<void> {
  mkdirSync(to, { recursive: true });
  const db = openChainDb({ directory: chainDirectory, network: NETWORK, readonly: true });
  try {
    await exportSnapshot({
      reader: db.reader,
      network: NETWORK,
      liteHeight: LITE_HEIGHT,
      path: join(to, SNAPSHOT_FILE),
    });
  } finally {
    db.close();
  }
}

/** Imports the snapshot into a new lite database and verifies that database. */
export async function readSnapshot(folder: string, accepted: string): Promise<object> {
  return inWorkFolder(async (directory) => {
    const options = {
      path: join(folder, SNAPSHOT_FILE),
      directory,
      network: NETWORK,
      liteHeight: LITE_HEIGHT,
    } as const;
    const header = await importSnapshot({ ...options, accepted: [accepted] });
    const { problems, height, rulesDigest } = await verifyChain({ directory, network: NETWORK });
    return {
      ...{ problems, height, rulesDigest },
      digest: toHex(header.digest),
      liteHeight: header.liteHeight,
      blockRecords: header.blockRecords,
      keyImageRecords: header.keyImageRecords,
      keyOutputRecords: header.keyOutputRecords,
      transactions: header.transactions,
      amounts: header.amounts,
    };
  });
}
