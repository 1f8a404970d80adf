import { StandInNode } from '@wrkz/testing';
import { removeFolders } from '../support/folder';
import { KEYS, scriptedChain, serveChain } from '../sync/support/scripted-chain';
import { WholeWallet } from './support/whole-wallet';
import { importKeys } from '../support/imports';

/* The wallet pauses sends by itself, and resumes them when the cause has ended. */

const honest = scriptedChain(60);
const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
  removeFolders();
});

async function serving(chain: Parameters<typeof serveChain>[1]): Promise<StandInNode> {
  const node = serveChain(await StandInNode.start(), chain);
  open.push(node);
  return node;
}

async function walletAt(...nodes: StandInNode[]): Promise<WholeWallet> {
  const privateSpendKey = KEYS.spendKeys[0]?.privateSpendKey ?? '';
  const keys = { privateViewKey: KEYS.privateViewKey, privateSpendKey, scanHeight: 0 };
  const ports = nodes.map(({ port }) => port);
  const whole = await WholeWallet.begin((parts, options) => importKeys(parts, options, keys), { ports });
  open.push(whole);
  return whole;
}

/** Waits until a condition holds; checked also when a pause or a resumption is reported. */
async function untilPause(whole: WholeWallet, holds: () => boolean): Promise<void> {
  const changed = (): boolean => whole.wallet.emit('changed');
  whole.wallet.on('paused', changed);
  await whole.until(holds);
  whole.wallet.off('paused', changed);
}

test('sends pause while two nodes disagree about a block more than 10 deep', async () => {
  const other = { blocks: scriptedChain(61, 'fork', honest.slice(0, 48)) };
  const whole = await walletAt(await serving({ blocks: honest }), await serving(other));
  const { pause } = whole.wallet;
  await untilPause(whole, () => pause.current !== undefined);
  expect(pause.current).toMatchObject({ source: 'chainDisagreement', reason: expect.stringContaining('block 48') });
  other.blocks = honest;
  await untilPause(whole, () => pause.current === undefined);
});

test('sends pause while the serving node reports a heavier branch that it refused', async () => {
  const node = await serving({ blocks: honest });
  const serve = node.handlerOf('/info');
  let branch: { height: number; hash: string } | undefined = { height: 70, hash: 'ab'.repeat(32) };
  node.on('/info', async (request, behind) => {
    const { json } = (await serve(request, behind)) as { json: object };
    return { json: { ...json, ...(branch && { heavier_branch: branch }) } };
  });
  const whole = await walletAt(node);
  const { pause } = whole.wallet;
  await untilPause(whole, () => pause.current !== undefined);
  expect(pause.current).toMatchObject({ source: 'heavierBranch', reason: expect.stringContaining('block 70, abab') });
  branch = undefined;
  await untilPause(whole, () => pause.current === undefined);
});
