import { existsSync } from 'node:fs';
import { chainIdentity, networkOf } from '@wrkz/core-types';
import { NodeList } from '@wrkz/client';
import { StandInNode } from '@wrkz/testing';
import { Wallet, walletErrorRows } from '../../src';
import { fresh, removeFolders } from '../support/folder';
import { untilAtTip } from '../support/served';
import { scriptedChain, serveChain } from '../sync/support/scripted-chain';

const network = networkOf('devnet');
const dependencies = {
  network,
  pow: { findNonce: () => Promise.reject(new Error('nothing is sent here')) },
  warn: () => undefined,
};
const nodesAt = ({ port }: { port: number }): NodeList =>
  new NodeList([{ host: '127.0.0.1', port, ssl: false }], { chain: chainIdentity('devnet') });

afterAll(removeFolders);

test('a wallet of devnet refuses to open with a node of mainnet, which has the same genesis block', async () => {
  const node = await StandInNode.start();
  const settings = { file: fresh('some.wallet'), password: 'pw' };
  await (await Wallet.create(dependencies, { ...settings, nodes: nodesAt(node) })).close();
  const [known] = networkOf('mainnet').knownBlocks;
  node.on('/json_rpc', ({ body }) => {
    const { height } = body['params'] as { height: number };
    const hash = height === 0 ? network.genesis.hash.toString('hex') : known?.hash;
    return { json: { result: { block_header: { hash, height, orphan_status: false }, status: 'OK' } } };
  });
  const foreign = nodesAt(node);
  await expect(Wallet.open(dependencies, { ...settings, nodes: foreign })).rejects.toMatchObject({
    code: walletErrorRows.foreignNetwork.code,
  });
  foreign.close();
  await node.close();
});

test('refuses to open or create with a node of another network, and opens with one that does not respond', async () => {
  const node = await StandInNode.start();
  const file = fresh('some.wallet');
  const settings = { file, password: 'pw' };
  const created = await Wallet.create(dependencies, { ...settings, nodes: nodesAt(node) });
  await created.close();
  node.on('/json_rpc', () => ({
    json: { result: { block_header: { hash: 'cd'.repeat(32), height: 0, orphan_status: false }, status: 'OK' } },
  }));
  const foreign = nodesAt(node);
  await expect(Wallet.open(dependencies, { ...settings, nodes: foreign })).rejects.toMatchObject({
    code: walletErrorRows.foreignNetwork.code,
  });
  const unmade = { file: fresh('new.wallet'), password: 'pw', nodes: foreign };
  await expect(Wallet.create(dependencies, unmade)).rejects.toMatchObject({
    code: walletErrorRows.foreignNetwork.code,
  });
  expect(existsSync(unmade.file)).toBe(false);
  foreign.close();
  // No response at all: opening does not wait for the timeouts of the client.
  node.on('/json_rpc', () => () => undefined);
  const opened = await Wallet.open(dependencies, { ...settings, nodes: nodesAt(node) });
  await opened.close();
  await node.close();
});

test('refuses to open on another network than the one whose chain it has scanned', async () => {
  const node = await StandInNode.start();
  serveChain(node, { blocks: scriptedChain(5) });
  const settings = { file: fresh('some.wallet'), password: 'pw' };
  const created = await Wallet.create(dependencies, { ...settings, nodes: nodesAt(node) });
  await untilAtTip(created);
  await created.close();
  const other = { ...dependencies, network: networkOf('mainnet') };
  await expect(Wallet.open(other, { ...settings, nodes: nodesAt({ port: 1 }) })).rejects.toMatchObject({
    code: walletErrorRows.foreignNetwork.code,
  });
  const opened = await Wallet.open(dependencies, { ...settings, nodes: nodesAt(node) });
  await opened.close();
  await node.close();
});
