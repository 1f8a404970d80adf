import { checkHash, powHash } from '@wrkz/crypto';
import { networkOf } from '@wrkz/core-types';
import { TX_POW_ALGORITHM } from '@wrkz/consensus';
import { Daemon, readConfig } from '@wrkz/daemon';
import { PowHelper, readPowHelperConfig } from '@wrkz/pow-helper';
import { silentLogger } from '@wrkz/service-kit';
import { PowClient } from '@wrkz/wallet-core';
import {
  buildSpend,
  CHAIN_A_HEIGHT,
  chainAWallet,
  type FindNonce,
  type TestWalletOutput,
  spendable,
  type Spend,
  Suite,
  type SuiteNode,
} from '../src';

jest.setTimeout(120_000);

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
const alice = chainAWallet('alice');
const helper = PowHelper.create(readPowHelperConfig(['--network', 'devnet', '--log-level', 'disabled']), { port: 0 });
const ESCAPE = networkOf('devnet').rulesAt(CHAIN_A_HEIGHT).feeEscapesPow ?? 0n;
let node: SuiteNode;
let outputs: TestWalletOutput[];

beforeAll(async () => {
  await helper.start();
  node = await suite.node({ from: await suite.chainA() });
  outputs = await spendable(node, alice);
});

afterAll(async () => {
  await helper.stop();
  await suite.stopAll();
});

/** From the helper only, without a local fallback. */
const fromHelper: FindNonce = async (prefix, difficulty, height) => {
  const client = new PowClient({ enabled: true, host: '127.0.0.1', port: helper.port, ssl: false });
  const { nonce, source, serverFailure } = await client.findNonce({ prefix, difficulty, height });
  if (source !== 'server') throw new Error(`the helper did not help: ${serverFailure ?? ''}`);
  return nonce;
};

/** A nonce that does not meet the difficulty. */
const wrongNonce: FindNonce = async (prefix, difficulty) => {
  for (let i = 0n; ; i++) {
    const nonce = Buffer.alloc(8);
    nonce.writeBigUInt64LE(i);
    const filled = Buffer.concat([prefix.subarray(0, -nonce.length), nonce]);
    if (!checkHash(powHash(TX_POW_ALGORITHM, filled), difficulty)) return nonce;
  }
};

function spend(fee: bigint, findNonce: FindNonce): Promise<Spend> {
  const output = outputs.shift();
  if (output === undefined) throw new Error('nothing is left to spend');
  return buildSpend(node, alice, output, { height: node.height, fee, findNonce });
}

test('a transaction with a nonce from the helper is accepted and mined', async () => {
  const { transaction, hash, difficulty } = await spend(500n, fromHelper);
  expect(difficulty).toBeGreaterThan(40n);
  await node.send(transaction);
  expect((await node.status([hash])).transactionsInPool).toEqual([hash]);
  const [block] = await node.generate(alice.address);
  expect((await node.status([hash])).transactionsInBlock).toEqual([hash]);
  const { block_header: header } = await node.rpc<{ block_header: object }>('getlastblockheader');
  expect(header).toMatchObject({ hash: block, height: CHAIN_A_HEIGHT + 1, num_txes: 2, reward: 1_000_500 });
  await expect(node.send(transaction)).rejects.toThrow('Transaction contains an input which has already been spent');
});

test('a wrong nonce is refused below the fee that needs no proof of work', async () => {
  const weak = await spend(ESCAPE - 1n, wrongNonce);
  await expect(node.send(weak.transaction)).rejects.toThrow('Transaction has a too weak proof of work');
  expect((await node.status([weak.hash])).transactionsUnknown).toEqual([weak.hash]);
  const rich = await spend(ESCAPE, wrongNonce);
  await node.send(rich.transaction);
  expect((await node.status([rich.hash])).transactionsInPool).toEqual([rich.hash]);
});
