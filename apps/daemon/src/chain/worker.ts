import { damageIn, openChainDb, type Opening } from '@wrkz/chain-db';
import { networkOf } from '@wrkz/core-types';
import { serveThread } from '@wrkz/service-kit/base';
import { operatorText } from '../damage/damage-watch';
import { diskShortage, freeBytes } from '../upkeep/disk-space';
import { holdStored, loadCheckpoints } from './checkpoints';
import { ChainEngine } from './engine';
import { Pruning } from './pruning';
import { ChainFailed } from './service';
import { CHAIN_ERRORS, type ChainThread, type WorkerSetup } from './thread';

/** The thread of the chain engine: opens the database, serves calls one by one, reports what was committed. */

function startEngine({ checkpoints, prune, minDiskFreeBytes, ...storage }: WorkerSetup): {
  engine: ChainEngine;
  opening: Opening;
} {
  const { directory } = storage;
  const network = networkOf(storage.network);
  const known = loadCheckpoints(checkpoints, network);
  const db = openChainDb({ ...storage, create: true });
  try {
    holdStored(known, db.reader);
    const now = (): number => Math.floor(Date.now() / 1000);
    const pruning = prune && new Pruning(prune, () => freeBytes(directory));
    const shortage =
      minDiskFreeBytes === undefined
        ? undefined
        : (closed: boolean) => diskShortage(directory, minDiskFreeBytes, closed);
    return {
      engine: new ChainEngine({ db, network, checkpoints: known, now, pruning, diskShortage: shortage }),
      opening: db.opening,
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Converts an error about damage at the start into one whose message includes the remedy. */
function withRemedy<T>(start: () => T): T {
  try {
    return start();
  } catch (error) {
    throw damageIn(error) === undefined ? error : new ChainFailed(operatorText(error), { cause: error });
  }
}

serveThread<ChainThread>((setup, { emit, fail }) => {
  const { engine, opening } = withRemedy(() => startEngine(setup));
  engine.on('commit', (event) => emit('commit', event));
  engine.on('damage', ({ reason }) => emit('damage', reason));
  engine.on('pruned', (pass) => emit('pruned', pass));
  engine.on('refusedSwitch', (refused) => emit('refusedSwitch', refused));
  engine.on('diskShortage', (why) => emit('diskShortage', why));
  engine.on('failed', fail);
  return {
    ready: { tip: engine.tip(), opening },
    calls: {
      addBlocks: ({ blocks, source, more }) => engine.addBlocks(blocks, source, more),
      rewindTo: (height) => engine.rewindTo(height),
      compactStep: () => engine.compactStep(),
      cutLog: () => engine.cutLog(),
      repairPage: ({ page, blocks }) => engine.repairPage(page, blocks),
    },
    close: () => engine.stop(),
  };
}, CHAIN_ERRORS);
