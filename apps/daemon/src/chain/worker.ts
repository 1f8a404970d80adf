import { openChainDb } from '@wrkz/chain-db';
import { networkOf } from '@wrkz/core-types';
import { serveThread } from '@wrkz/service-kit';
import { holdStored, loadCheckpoints } from './checkpoints';
import { ChainEngine } from './engine';
import { CHAIN_ERRORS, type ChainThread, type WorkerSetup } from './thread';

/** The thread of the chain engine: opens the database, serves calls one by one, reports what was committed. */

function startEngine({ directory, network: name, checkpoints }: WorkerSetup): ChainEngine {
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

serveThread<ChainThread>((setup, { emit, fail }) => {
  const engine = startEngine(setup);
  engine.on('commit', (event) => emit('commit', event));
  engine.on('failed', fail);
  return {
    ready: engine.tip(),
    calls: {
      addBlocks: ({ blocks, source, more }) => engine.addBlocks(blocks, source, more),
      rewindTo: (height) => engine.rewindTo(height),
    },
    close: () => engine.stop(),
  };
}, CHAIN_ERRORS);
