import { chainIdentity } from '@wrkz/core-types';
import { NodeList } from '@wrkz/client';
import { StandInNode } from '@wrkz/testing';
import { FakeLedger } from './support/fake-ledger';
import { KEYS, scriptedChain, serveChain, type ServedChain } from './support/scripted-chain';
import { SyncedWallet } from './support/wallets';

const honest = scriptedChain(300);
const open: { close(): unknown }[] = [];
let wallet: SyncedWallet | undefined;

afterEach(async () => {
  await wallet?.sync.stop();
  wallet = undefined;
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function opened(...chains: ServedChain[]): Promise<SyncedWallet & { nodes: NodeList }> {
  const addresses = [];
  for (const chain of chains) {
    const node = serveChain(await StandInNode.start(), chain);
    open.push(node);
    addresses.push({ host: '127.0.0.1', port: node.port, ssl: false });
  }
  const nodes = new NodeList(addresses, { chain: chainIdentity('devnet') });
  open.push(nodes);
  wallet = new SyncedWallet(new FakeLedger(KEYS), nodes);
  return Object.assign(wallet, { nodes });
}

/** The next results of the comparison. */
async function nextDisagreement(synced: SyncedWallet): Promise<string | undefined> {
  let result: { text: string | undefined } | undefined;
  synced.sync.once('disagreement', (text) => (result = { text }));
  await synced.until(() => result !== undefined);
  return result?.text;
}

test('a node that lacks the block 11 below the tip disagrees until it has the block', async () => {
  const other = { blocks: scriptedChain(301, 'fork', honest.slice(0, 288)) };
  const synced = await opened({ blocks: honest }, other);
  await synced.untilSynced();
  const name = synced.nodes.others[0]?.displayName ?? '';
  const hash = honest[288]?.blockHash ?? '';
  expect(await nextDisagreement(synced)).toBe(`node ${name} does not have block 288 of this wallet, ${hash}`);
  other.blocks = honest;
  expect(await nextDisagreement(synced)).toBeUndefined();
});

test('a disagreement is dropped when the node does not respond for 60 comparisons', async () => {
  const other = { blocks: scriptedChain(301, 'fork', honest.slice(0, 288)) };
  const synced = await opened({ blocks: honest }, other);
  await synced.untilSynced();
  const text = await nextDisagreement(synced);
  expect(text).toContain('does not have block 288');
  other.blocks = honest.slice(0, 10);
  for (let i = 1; i < 60; i++) expect(await nextDisagreement(synced)).toBe(text);
  expect(await nextDisagreement(synced)).toBeUndefined();
});

test('a fork of at most 10 blocks and a node below the wallet are no disagreement', async () => {
  const fork = { blocks: scriptedChain(301, 'fork', honest.slice(0, 289)) };
  const lower = { blocks: scriptedChain(299, 'fork', honest.slice(0, 200)) };
  const synced = await opened({ blocks: honest }, fork, lower);
  await synced.untilSynced();
  expect(await nextDisagreement(synced)).toBeUndefined();
});

test('forged blocks of the serving node are replaced with the chain of most nodes', async () => {
  const forged = { blocks: scriptedChain(320, 'forged', honest.slice(0, 220)) };
  const synced = await opened(forged, { blocks: honest }, { blocks: honest });
  await synced.until(() => synced.ledger.position().hash === honest.at(-1)?.blockHash);
  expect(synced.ledger.blocks.map(({ hash }) => hash)).toEqual(honest.map(({ blockHash }) => blockHash));
  expect(synced.warnings).toContainEqual(expect.stringContaining('rescanning from block 201'));
  expect(synced.nodes.nodes()[0]).toMatchObject({ isInUse: false });
});

test('forged blocks below a scan start that no chain has reached are removed, too', async () => {
  const forged: ServedChain = { blocks: scriptedChain(100, 'forged') };
  const synced = await opened(forged, { blocks: honest }, { blocks: honest });
  synced.ledger.start = { height: 1_000, timestamp: 0 };
  await synced.until(() => synced.ledger.position().height === 99);
  forged.blocks = scriptedChain(320, 'forged', forged.blocks);
  await synced.until(() => synced.ledger.position().height === 319);
  expect(synced.ledger.total).toBeGreaterThan(0n);
  await synced.until(() => synced.ledger.position().hash === honest.at(-1)?.blockHash);
  expect(synced.ledger.total).toBe(0n);
});

test('one node out of three cannot make the wallet drop its blocks', async () => {
  const forged = { blocks: scriptedChain(320, 'forged', honest.slice(0, 220)) };
  const synced = await opened({ blocks: honest }, { blocks: honest }, forged);
  await synced.untilSynced();
  expect(await nextDisagreement(synced)).toContain('does not have block 288');
  expect(synced.ledger.rewinds).toEqual([]);
});

test('three rejected responses in a row start a comparison immediately', async () => {
  const forged = { blocks: scriptedChain(320, 'forged', honest.slice(0, 220)) };
  const synced = await opened(forged, { blocks: honest }, { blocks: honest });
  await synced.untilSynced();
  let requests = 0;
  for (const node of open.slice(0, 3)) {
    (node as StandInNode).on('/getwalletsyncdata', () => {
      // The fourth request gets no response, which stops the clock: the interval of comparisons cannot end.
      if (++requests > 3) return () => undefined;
      return { json: { items: 'none', status: 'OK' } };
    });
  }
  await synced.until(() => synced.ledger.rewinds.includes(201));
  expect(requests).toBeLessThanOrEqual(4);
});
