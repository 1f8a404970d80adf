import { checkHash, powHash } from '@wrkz/crypto';
import { networkOf } from '@wrkz/core-types';
import { TX_POW_ALGORITHM } from '@wrkz/consensus';
import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
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

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
const alice = chainAWallet('alice');
const ESCAPE = networkOf('devnet').rulesAt(CHAIN_A_HEIGHT).feeEscapesPow ?? 0n;
let node: SuiteNode;
let outputs: TestWalletOutput[];

beforeAll(async () => {
  node = await suite.node({ from: await suite.chainA() });
  outputs = await spendable(node, alice);
});

afterAll(() => suite.stopAll());

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
  if (output === undefined) throw new Error('no spendable output is left');
  return buildSpend(node, alice, output, { height: node.height, fee, findNonce });
}

test('a wrong nonce is refused below the fee that needs no proof of work', async () => {
  const weak = await spend(ESCAPE - 1n, wrongNonce);
  await expect(node.send(weak.transaction)).rejects.toThrow('Transaction has a too weak proof of work');
  expect((await node.status([weak.hash])).transactionsUnknown).toEqual([weak.hash]);
  const rich = await spend(ESCAPE, wrongNonce);
  await node.send(rich.transaction);
  expect((await node.status([rich.hash])).transactionsInPool).toEqual([rich.hash]);
});
