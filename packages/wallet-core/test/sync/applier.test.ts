import type { SyncBlock } from '@wrkz/client';
import { networkOf } from '@wrkz/core-types';
import { Applier } from '../../src/sync/applier';
import { BlockStore } from '../../src/sync/block-store';
import { type BlockVerdict, SyncBlockVerifier, type Verification } from '../../src/sync/block-verifier';
import { FakeLedger } from './support/fake-ledger';
import { KEYS, type ScriptedBlock, scriptedChain } from './support/scripted-chain';

/* Resets and new keys while the applier waits. */

function syncBlock({
  blockHash,
  blockHeight: height,
  blockTimestamp: timestamp,
  coinbaseTX,
}: ScriptedBlock): SyncBlock {
  const { txPublicKey, outputs, hash } = coinbaseTX as {
    txPublicKey: string;
    outputs: { key: string }[];
    hash: string;
  };
  const coinbase = {
    ...{ hash, inputs: [], unlockTime: 0n, paymentId: '', transactionPublicKey: txPublicKey },
    outputs: outputs.map(({ key }) => ({ key, amount: 1_000n })),
  };
  return { hash: blockHash, height, timestamp, coinbase, transactions: [] };
}

const MAIN = scriptedChain(4).map(syncBlock);
const OTHER = scriptedChain(4, 'other').map(syncBlock);

const NOTHING: Verification = { verdicts: new Map(), indexes: new Map() };

/** @param verdict for each block, after `during` */
function applierWith(during: () => void, verdict: BlockVerdict = 'verified') {
  const ledger = new FakeLedger(KEYS);
  const store = new BlockStore();
  store.add({ blocks: MAIN });
  const verifier = new SyncBlockVerifier(networkOf('devnet'), () => {
    throw new Error('no node is needed');
  });
  let calls = 0;
  jest.spyOn(verifier, 'verify').mockImplementation((claims) => {
    const verdicts = new Map(claims.map(({ hash }) => [hash, verdict]));
    if (++calls > 1) return Promise.resolve(NOTHING);
    during();
    return Promise.resolve({ ...NOTHING, verdicts });
  });
  const ignore = (): void => undefined;
  const events = { applied: ignore, rewind: ignore, unreadable: ignore, batch: ignore };
  return { ledger, store, applier: new Applier(ledger, store, verifier, events) };
}

const signal = new AbortController().signal;
const hashesOf = (blocks: readonly { hash: string }[]): string[] => blocks.map(({ hash }) => hash);

test('applies only the new blocks after a reset during the verification', async () => {
  const { ledger, store, applier } = applierWith(() => {
    store.clear();
    store.add({ blocks: OTHER });
  }, 'replaced');
  await applier.run(signal);
  expect(hashesOf(ledger.blocks)).toEqual(hashesOf(OTHER));
});

test('applies only the new blocks after a reset while it yields to the event loop', async () => {
  const { ledger, store, applier } = applierWith(() => {
    setImmediate(() => {
      store.clear();
      store.add({ blocks: OTHER });
    });
  });
  await applier.run(signal);
  expect(hashesOf(ledger.blocks)).toEqual(hashesOf(OTHER));
});

test('scans the remaining blocks again when keys are added while it yields to the event loop', async () => {
  const { ledger, applier } = applierWith(() => {
    setImmediate(() => (ledger.keys = KEYS));
  });
  ledger.keys = { ...KEYS, spendKeys: [] };
  // Without keys no block is an own one, but each batch is verified.
  await applier.run(signal);
  expect(ledger.total).toBe(4_000n);
});
