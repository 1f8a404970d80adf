import { join } from 'node:path';
import { openChainDb } from '@wrkz/chain-db';
import { DaemonProcess } from '../../support/process';

/* A devnet node in a separate process, which a campaign kills and restarts with the same data directory. */

/** A loopback port without a listener. */
export const NOBODY = 1;

export const pause = (milliseconds: number): Promise<void> => new Promise((go) => setTimeout(go, milliseconds));

/** @param peer the only node it may call, by its port on loopback */
export function startNode(dataDir: string, peer: number, more: readonly string[] = []): DaemonProcess {
  return new DaemonProcess(
    [
      ...['--network', 'devnet', '--data-dir', dataDir, '--log-file', '', '--rpc-max-rpm', '0'],
      ...['--rpc-bind-port', '0', '--p2p-bind-ip', '127.0.0.1', '--p2p-bind-port', '0'],
      ...['--add-exclusive-node', `127.0.0.1:${String(peer)}`, ...more],
    ],
    dataDir,
  );
}

/** Addresses of a started node. */
export async function rpcUrlOf(node: DaemonProcess): Promise<string> {
  const [, url = ''] = await node.prints(/RPC at (http:\/\/[^;\s]+);/);
  return url;
}

/** Rewinds the chain of a stopped node by some blocks. */
export function takeBack(dataDir: string, blocks: number): void {
  const db = openChainDb({ directory: join(dataDir, 'devnet'), network: 'devnet' });
  db.writer?.rewindTo(db.reader.height() - blocks);
  db.close();
}

/** The main chain of a stopped node. */
export function chainIn(dataDir: string): [number, string][] {
  const db = openChainDb({ directory: join(dataDir, 'devnet'), network: 'devnet', readonly: true });
  try {
    return db.reader.hashes(0, db.reader.height() + 1).map((hash, height) => [height, hash.toString('hex')]);
  } finally {
    db.close();
  }
}
