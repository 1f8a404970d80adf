import { copyFileSync } from 'node:fs';
import { networkOf } from '@wrkz/core-types';
import { StandInNode } from '@wrkz/testing';
import { Wallet } from '../../src';
import { fresh, removeFolders } from '../support/folder';
import { KEYS, type ScriptedBlock, scriptedChain, serveChain } from '../sync/support/scripted-chain';
import { WholeWallet, type WholeOptions } from './support/whole-wallet';
import { importKeys } from '../support/imports';

/* Effects of false blocks of a node on a whole wallet and its file, and their removal at an honest node. */

const LENGTH = 60;
const honest = scriptedChain(LENGTH);
const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
  removeFolders();
});

/** Serves blocks. Amounts that are strings become JSON numbers, also above 2^53. */
async function serving(blocks: readonly ScriptedBlock[]): Promise<StandInNode> {
  const node = serveChain(await StandInNode.start(), { blocks });
  open.push(node);
  const serve = node.handlerOf('/getwalletsyncdata');
  return node.on('/getwalletsyncdata', async (request, behind) => {
    const { json } = (await serve(request, behind)) as { json: unknown };
    return { text: JSON.stringify(json).replaceAll(/"amount":"(\d+)"/g, '"amount":$1') };
  });
}

async function begin(
  way: Parameters<typeof WholeWallet.begin>[0],
  node: StandInNode,
  options: Omit<WholeOptions, 'ports'> = {},
): Promise<WholeWallet> {
  const whole = await WholeWallet.begin(way, { ports: [node.port], ...options });
  open.push(whole);
  return whole;
}

const imported: Parameters<typeof WholeWallet.begin>[0] = (parts, settings) =>
  importKeys(parts, settings, {
    ...{ privateViewKey: KEYS.privateViewKey, scanHeight: 0 },
    privateSpendKey: KEYS.spendKeys[0]?.privateSpendKey ?? '',
  });

const existing: typeof imported = (parts, settings) => Wallet.open(parts, settings);

const totalOf = ({ wallet }: WholeWallet): bigint => {
  const { unlocked, locked } = wallet.snapshot.balance();
  return unlocked + locked;
};

const untilTip = (whole: WholeWallet, height = LENGTH - 1): Promise<void> =>
  whole.until(() => whole.status.isAtTip && whole.wallet.snapshot.content.progress.height === height);

type Members = Record<string, unknown>;

/** Honest blocks, then blocks with forged transactions. */
function lyingChain(): { blocks: ScriptedBlock[]; total: bigint } {
  const blocks = scriptedChain(LENGTH, 'forged', honest.slice(0, 30));
  const [known] = (honest[10]?.coinbaseTX['outputs'] ?? []) as { key: string }[];
  const knownKey = known?.key ?? '';
  const other = scriptedChain(5, 'other', honest.slice(0, 1));
  const put = (height: number, ...transactions: Members[]): void => {
    const block = blocks[height] as ScriptedBlock;
    blocks[height] = { ...block, transactions: transactions.map((one) => ({ inputs: [], paymentID: '', ...one })) };
  };
  const paying = (which: number, amount: unknown, more: Members = {}): Members => {
    const coinbase = other[which]?.coinbaseTX ?? {};
    const [output] = coinbase['outputs'] as Members[];
    return { ...coinbase, outputs: [{ ...output, amount }], ...more };
  };
  const txPublicKey = honest[10]?.coinbaseTX['txPublicKey'];
  // A repeated own key with a larger amount, and a key in two transactions: the largest amount counts.
  put(31, { hash: '31'.repeat(32), txPublicKey, unlockTime: 0, outputs: [{ key: knownKey, amount: 10 ** 15 }] });
  put(32, { ...paying(1, 7), hash: '32'.repeat(32) }, { ...paying(1, 9_999), hash: '33'.repeat(32) });
  // Above the max amount of a container: the block is skipped.
  put(34, paying(2, '18446744073709551615'));
  // The inputs sum to more than 64 bits.
  const inputs = ['aa', 'bb'].map((byte) => ({ k_image: byte.repeat(32), amount: '18446744073709551615' }));
  put(36, paying(3, 5, { inputs }));
  // An unlock time above all heights and timestamps.
  put(38, paying(4, 3, { unlockTime: 2 ** 53 }));
  return { blocks, total: BigInt(LENGTH - 2) * 1_000n + 10n ** 15n + 9_999n + 5n + 3n };
}

test('counts a repeated key once, skips sums above 64 bits, and writes a valid file', async () => {
  const falseChain = lyingChain();
  const falseNode = await serving(falseChain.blocks);
  const whole = await begin(imported, falseNode);
  await untilTip(whole);
  expect(totalOf(whole)).toBe(falseChain.total);
  expect(whole.status.unreadableBlocks).toBe(1);
  expect(whole.warnings).toEqual([expect.stringContaining('block 34 could not be read and was skipped')]);
  const { content } = whole.wallet.snapshot;
  await whole.close();

  const copy = fresh('copy.wallet');
  copyFileSync(whole.file, copy);
  const again = await begin(existing, await serving(honest), { file: copy });
  expect(again.wallet.snapshot.content.transactions).toEqual(content.transactions);
  await untilTip(again);
  expect(totalOf(again)).toBe(BigInt(LENGTH) * 1_000n);
  const clean = await begin(imported, await serving(honest));
  await untilTip(clean);
  expect(again.wallet.snapshot.content.transactions).toEqual(clean.wallet.snapshot.content.transactions);
  const keysOf = ({ wallet }: WholeWallet): string[] =>
    wallet.snapshot.content.subWallets.flatMap(({ unspent }) => unspent.map(({ key }) => key)).toSorted();
  expect(keysOf(again)).toEqual(keysOf(clean));
});

test('a node that serves another chain each time leaves a wallet on one of them', async () => {
  const chain = { blocks: honest };
  const branch = scriptedChain(LENGTH + 1, 'branch', honest.slice(0, 20));
  const longer = scriptedChain(LENGTH + 5, 'main', honest);
  const node = serveChain(await StandInNode.start(), chain);
  open.push(node);
  let polls = 0;
  const serve = node.handlerOf('/getwalletsyncdata');
  node.on('/getwalletsyncdata', (request, behind) => {
    // The last chain is longer: at a lower node the wallet would wait without an event.
    if (++polls > 40) node.on('/getwalletsyncdata', serve);
    chain.blocks = polls > 40 ? longer : polls % 2 === 0 ? branch : honest;
    return serve(request, behind);
  });
  const whole = await begin(imported, node);
  for (const blocks of [longer, scriptedChain(LENGTH + 6, 'branch', branch)]) {
    if (polls > 40) chain.blocks = blocks;
    await untilTip(whole, blocks.length - 1);
    expect(totalOf(whole)).toBe(BigInt(blocks.length) * 1_000n);
    expect(whole.wallet.snapshot.content.progress.recentHashes[0]).toBe(blocks.at(-1)?.blockHash);
  }
});

test('forged blocks that are implausible in time do not confirm a send on mainnet', async () => {
  // One block in ten minutes since the first one; the others are accepted as the margin of the plausible height.
  const options = { network: { ...networkOf('devnet'), name: 'mainnet' as const }, now: 1_529_831_318 + 600 };
  const node = await serving(scriptedChain(62));
  const first = await begin(imported, node, options);
  const hash = 'ab'.repeat(32);
  first.wallet.db.sends.put({ hash, state: 'confirmed', created: 1, height: 0 });
  await first.close();
  const whole = await begin(existing, node, { ...options, file: first.file });
  await untilTip(whole, 61);
  expect(whole.wallet.db.sends.get(hash)).toMatchObject({ state: 'confirmed' });
});
