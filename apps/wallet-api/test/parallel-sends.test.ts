import type { StandInHandler } from '@wrkz/testing';
import {
  ADDRESSES,
  BLOCKS_TO_UNLOCK,
  ChainAStage,
  codeOf,
  hashOf,
  hasIndexes,
  parsed,
  requireStatus,
  send,
  untilWallet,
} from './support/chain-a-service';
import type { TestService } from './support/service';

const INPUTS = 50;
const SENDS = 200;
const INPUT = 200_000;
const PAYMENT = 50_000;
/** Every n-th connection with a transaction is closed after the node has received the transaction. */
const CUT_EVERY = 7;

let stage: ChainAStage;

beforeAll(async () => {
  stage = await ChainAStage.set();
});

afterAll(() => stage.strike());

interface Shares {
  readonly unlocked: number;
  readonly locked: number;
}

async function balance(service: TestService): Promise<Shares> {
  return parsed<Shares & Record<string, unknown>>(await service.json('GET', '/balance'));
}

/** A new wallet with this many unlocked inputs of one amount. */
async function walletOfEqualInputs(): Promise<{ service: TestService; address: string }> {
  const giver = await stage.service();
  await stage.open(giver, 'alice');
  const service = await stage.service();
  const node = { daemonHost: '127.0.0.1', daemonPort: stage.standIn.port };
  requireStatus(await service.json('POST', '/wallet/create', { filename: 'new', password: 'secret', ...node }), 200);
  const { address } = parsed<{ address: string }>(await service.json('GET', '/addresses/primary'));
  const destinations = Array.from({ length: INPUTS }, () => ({ address, amount: INPUT }));
  requireStatus(await giver.json('POST', '/transactions/send/advanced', { destinations }), 201);
  await stage.mine(service, BLOCKS_TO_UNLOCK);
  await untilWallet(service, hasIndexes);
  expect(await balance(service)).toEqual({ unlocked: INPUTS * INPUT, locked: 0 });
  await giver.json('DELETE', '/wallet');
  return { service, address };
}

test('spends no input twice and loses no payment in 200 parallel sends with cut connections', async () => {
  const { service } = await walletOfEqualInputs();
  const receiver = await stage.service();
  await stage.open(receiver, 'bob');
  await receiver.synced(stage.node.height);
  const before = await balance(receiver);

  let carried = 0;
  const cutSome: StandInHandler = async (_request, behind) => {
    const { status, json } = await behind();
    return ++carried % CUT_EVERY === 0 ? (response) => void response.destroy() : { status, json };
  };
  stage.standIn.on('/sendrawtransaction', cutSome);
  const body = { destination: ADDRESSES.bob, amount: PAYMENT };
  const responses = await Promise.all(
    // Each key is used twice.
    Array.from({ length: SENDS }, (_, i) => send(service, body, { key: `k${String(i % (SENDS / 2))}` })),
  );
  stage.standIn.off('/sendrawtransaction');

  const sent = responses.filter(({ status }) => status === 201);
  const hashes = new Set(sent.map(hashOf));
  const refused = new Set(responses.filter(({ status }) => status !== 201).map(codeOf));
  expect([...refused]).toEqual([11]);
  expect(sent).toHaveLength(2 * hashes.size);
  expect(hashes.size).toBe(INPUTS);
  expect(stage.node.pool()).toEqual([...hashes].sort());
  const left = await balance(service);
  expect(left.unlocked).toBe(0);

  // The pool contains no two transactions with the same key image; the block contains exactly these transactions.
  await stage.mine(service, 1);
  await receiver.synced(stage.node.height);
  const { transactionsInBlock } = await stage.node.status([...hashes]);
  expect(transactionsInBlock).toHaveLength(INPUTS);
  const fees = sent.reduce((sum, reply) => sum + parsed<{ fee: number }>(reply).fee, 0) / 2;
  const after = await balance(receiver);
  expect(after.unlocked + after.locked - before.unlocked - before.locked).toBe(INPUTS * PAYMENT);
  await stage.mine(service, BLOCKS_TO_UNLOCK);
  expect(await balance(service)).toEqual({ unlocked: INPUTS * (INPUT - PAYMENT) - fees, locked: 0 });
});
