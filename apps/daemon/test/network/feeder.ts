/**
 * A separate program: a peer that has chain A and announces its blocks one after another, like a miner. It is
 * forked with the port of the daemon and the number of blocks at the start, sends `connected` to its parent, and announces a
 * block at each `next`.
 */
import { networkOf } from '@wrkz/core-types';
import { p2pDefaults } from '../p2p/defaults';
import { P2pNode } from '../../src/p2p/node';
import { chainA } from '@wrkz/testing';
import { blockCodec } from '../../src/p2p/hashes';
import { FakeChain, FakePool, TestLogger } from '../p2p/fakes';

const known = Number(process.argv[3]);
const rest = chainA().slice(known);
const chain = new FakeChain(blockCodec, chainA().slice(0, known));
const node = new P2pNode(
  {
    ...p2pDefaults,
    networkId: networkOf('devnet').networkId,
    bindHost: '127.0.0.1',
    exclusiveNodes: [{ host: '127.0.0.1', port: Number(process.argv[2]) }],
  },
  { chain, pool: new FakePool(blockCodec), logger: new TestLogger(), codec: blockCodec },
);
node.once('connected', () => process.send?.('connected'));
process.on('message', () => {
  const next = rest.shift();
  if (next !== undefined) chain.add(next);
});
process.once('disconnect', () => void node.stop());
void node.start();
