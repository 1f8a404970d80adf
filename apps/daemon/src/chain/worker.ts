import { parentPort, workerData } from 'node:worker_threads';
import { openChainDb } from '@wrkz/chain-db';
import { networkOf } from '@wrkz/core-types';
import { holdStored, loadCheckpoints } from '../maintenance/checkpoints';
import { ChainEngine } from './engine';
import { plainError, type Report, type Request, type WorkerSetup } from './messages';
import { pack, type Packed, transferList, unpack } from '@wrkz/service-kit';

/** The thread of the chain engine: opens the database, serves requests one by one, reports what was committed. */

function report(message: Report): void {
  const packed = pack(message);
  parentPort?.postMessage(packed, transferList(packed));
}

function startEngine(): ChainEngine {
  const { directory, network: name, checkpoints } = workerData as WorkerSetup;
  const network = networkOf(name);
  const known = loadCheckpoints(checkpoints, network);
  const db = openChainDb({ directory, network: name, create: true });
  try {
    holdStored(known, db.reader);
    return new ChainEngine({ db, network, checkpoints: known, now: () => Math.floor(Date.now() / 1000) });
  } catch (error) {
    db.close();
    throw error;
  }
}

function serve(engine: ChainEngine, request: Request): void {
  switch (request.kind) {
    case 'add':
      engine.addBlocks(request.blocks, request.source).then(
        (results) => report({ kind: 'added', id: request.id, results }),
        (error: unknown) => report({ kind: 'error', id: request.id, error: plainError(error) }),
      );
      return;
    case 'rewind':
      engine.rewindTo(request.height).then(
        () => report({ kind: 'rewound', id: request.id }),
        (error: unknown) => report({ kind: 'error', id: request.id, error: plainError(error) }),
      );
      return;
    case 'stop':
      void engine.stop().then(() => {
        report({ kind: 'stopped' });
        parentPort?.close();
      });
  }
}

try {
  const engine = startEngine();
  engine.on('commit', (event) => report({ kind: 'commit', event }));
  engine.on('failed', (error) => report({ kind: 'failed', starting: false, error: plainError(error) }));
  parentPort?.on('message', (packed: Packed) => serve(engine, unpack<Request>(packed)));
  report({ kind: 'ready', tip: engine.tip() });
} catch (error) {
  report({ kind: 'failed', starting: true, error: plainError(error) });
  parentPort?.close();
}
