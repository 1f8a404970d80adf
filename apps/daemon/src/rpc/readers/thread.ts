import { parentPort, workerData } from 'node:worker_threads';
import { openChainDb } from '@wrkz/chain-db';
import { networkOf } from '@wrkz/core-types';
import { RpcRefusal } from '../errors';
import { runQuery, type QueryName, type QueryTable } from '../queries';
import type { ReaderReply, ReaderRequest, ReaderThreadData } from './messages';

/** The body of a reader thread: one read-only connection, one query at a time. */
function main(): void {
  const port = parentPort;
  if (port === null) throw new Error('a reader thread is started by the reader pool');
  const { directory, network } = workerData as ReaderThreadData;
  const db = openChainDb({ directory, network, readonly: true });
  port.on('message', (message: ReaderRequest | 'close') => {
    if (message === 'close') {
      db.close();
      port.close();
      return;
    }
    port.postMessage(answer(message));
  });

  function answer({ id, name, query }: ReaderRequest): ReaderReply {
    try {
      return { id, body: runQuery(db.reader, networkOf(network), name, withBuffers(query)) };
    } catch (error) {
      if (error instanceof RpcRefusal)
        return { id, refusal: { status: error.status, body: error.body as Record<string, unknown> } };
      return { id, failure: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** Buffers cross a thread border as plain byte arrays; the queries want buffers. */
function withBuffers(query: QueryTable[QueryName]): QueryTable[QueryName] {
  return 'checkpoints' in query ? { ...query, checkpoints: query.checkpoints.map((hash) => Buffer.from(hash)) } : query;
}

main();
