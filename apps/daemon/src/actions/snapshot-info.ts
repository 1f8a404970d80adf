import {
  SNAPSHOT_VERSION,
  isAcceptedSnapshot,
  readSnapshotHeader,
  type SnapshotHeader,
  totalRecords,
} from '@wrkz/chain-db';
import { errorText, stringifyJson } from '@wrkz/service-kit';
import type { ActionParts } from './action';

/**
 * `--snapshot-info FILE`: what the header of a snapshot says, one line of JSON. Exit code 1, and an object with `error`, when
 * it cannot be read.
 */
export function snapshotInfoAction({ config, stream }: Pick<ActionParts, 'config' | 'stream'>): Promise<number> {
  const { options } = config;
  const path = options['snapshot-info'] ?? '';
  try {
    stream.write(`${stringifyJson(facts(readSnapshotHeader(path), options['accept-snapshot-digest']))}\n`);
    return Promise.resolve(0);
  } catch (error) {
    stream.write(`${stringifyJson({ error: errorText(error) })}\n`);
    return Promise.resolve(1);
  }
}

function facts(header: SnapshotHeader, accepted: readonly string[]): Record<string, unknown> {
  return {
    formatVersion: SNAPSHOT_VERSION,
    liteHeight: header.liteHeight,
    records: totalRecords(header),
    blockInfoRecords: header.blockRecords,
    keyImageRecords: header.keyImageRecords,
    keyOutputRecords: header.keyOutputRecords,
    transactionsCount: header.transactions,
    genesisHash: header.genesisHash.toString('hex'),
    digest: header.digest.toString('hex'),
    accepted: isAcceptedSnapshot(header, accepted),
  };
}
