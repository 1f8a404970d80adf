import { damageIn, openChainDb } from '@wrkz/chain-db';
import { networkOf } from '@wrkz/core-types';
import { serveThread } from '@wrkz/service-kit';
import { operatorText } from '../damage/operator-text';
import { holdStored, loadCheckpoints } from './checkpoints';
import { ChainEngine } from './engine';
import { ChainFailed } from './service';
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

/** Damage that a start meets ends it, with what the operator can do. */
function orTellRemedy<T>(start: () => T): T {
  try {
    return start();
  } catch (error) {
    throw damageIn(error) === undefined ? error : new ChainFailed(operatorText(error), { cause: error });
  }
}

serveThread<ChainThread>((setup, { emit, fail }) => {
  const engine = orTellRemedy(() => startEngine(setup));
  engine.on('commit', (event) => emit('commit', event));
  engine.on('failed', fail);
  return {
    ready: engine.tip(),
    calls: {
      addBlocks: ({ blocks, source }) => engine.addBlocks(blocks, source),
      rewindTo: (height) => engine.rewindTo(height),
    },
    close: () => engine.stop(),
  };
}, CHAIN_ERRORS);
