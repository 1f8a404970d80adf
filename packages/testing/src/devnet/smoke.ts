import { requestJson } from '../node-client';
import type { Devnet } from './devnet';
import { pollUntil } from './program';

/** Atomic units. */
const PAYMENT = 12_345;
const DONATION = 5_000;
/** Number of blocks after which a payment is unlocked and the proposals count it. */
const UNLOCK_BLOCKS = 45;

/** Runs a named step and reports it. */
export type RunStep = <T>(name: string, run: () => Promise<T>) => Promise<T>;

/** A payment from alice to bob and a donation of bob, followed through every service. @throws Error of the failed step */
export async function runSmoke(devnet: Devnet, signal: AbortSignal, step: RunStep): Promise<void> {
  const [node1, , node3] = devnet.nodes;
  const { helper, proposals, bob, donation } = devnet.addresses;
  const until = (pending: string, holds: () => Promise<boolean>): Promise<void> =>
    pollUntil(holds, () => pending, signal);
  const jobs = async (): Promise<number> =>
    (await requestJson<{ jobs: { completed: number } }>(`${helper}/stats`)).jobs.completed;
  const totalOfBob = async (): Promise<number> => {
    const [, { unlocked, locked }] = await devnet.wallets.balances();
    return unlocked + locked;
  };
  const funded = async (): Promise<number> => {
    const { data } = await requestJson<{ data: { funded_pct: number }[] }>(`${proposals}/api/1/proposals?status=2`);
    return data[0]?.funded_pct ?? 0;
  };

  await step('the nodes and wallets have the same newest block', () => devnet.untilSynchronized());
  const before = { jobs: await jobs(), bob: await totalOfBob(), funded: await funded() };
  const payment = await step('alice pays bob through wallet-api', () => devnet.wallets.payFromAlice(bob, PAYMENT));
  await step('the helper computed the proof of work', async () => {
    if ((await jobs()) === before.jobs) throw new Error('the helper completed no job');
  });
  const height = await step('node 3 receives the payment and a block of the miner with it', async () => {
    const known = async (): Promise<boolean> => (await node3.status([payment])).transactionsUnknown.length === 0;
    await until('node 3 does not have the payment', known);
    const mined = async (): Promise<boolean> => (await node3.status([payment])).transactionsInBlock.length === 1;
    await until('the payment is not mined', mined);
    return (await node3.tip()).height;
  });
  await step('node 3 serves the payment to wallets', async () => {
    const { items } = await node3.post<SyncData>('/getwalletsyncdata', { startHeight: height - 10 });
    const hashes = items.flatMap(({ transactions }) => transactions.map(({ hash }) => hash));
    if (!hashes.includes(payment)) throw new Error('/getwalletsyncdata does not have the payment');
  });
  await step('wallet-rpc has the payment in the balance of bob', () =>
    until('the balance of bob is unchanged', async () => (await totalOfBob()) === before.bob + PAYMENT),
  );
  const gift = await step('bob donates through wallet-rpc', () => devnet.wallets.payFromBob(donation, DONATION));
  await step('wallet-api has the donation', async () => {
    await node1.generate(bob);
    const hasIt = (): Promise<boolean> =>
      devnet.wallets.api('GET', `/transactions/hash/${gift}`).then(Boolean, () => false);
    await until('the wallet of alice does not have the donation', hasIt);
  });
  await step('the proposals count the donation once it is unlocked', async () => {
    await node1.generate(bob, UNLOCK_BLOCKS);
    await until('the funding is unchanged', async () => (await funded()) > before.funded);
  });
}

interface SyncData {
  readonly items: readonly { readonly transactions: readonly { readonly hash: string }[] }[];
}
