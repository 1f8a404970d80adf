import { readJsonLines } from '@wrkz/testing/fixtures';
import * as fc from 'fast-check';
import { ScriptedPeer } from '@wrkz/testing';
import { sha256, toyChain } from '../fakes';
import { Harness } from '../harness';

const recorded = readJsonLines<{ frame: string }>('devnet/p2p.jsonl').map(({ frame }) => Buffer.from(frame, 'hex'));

describe('a node that receives mutated frames', () => {
  const harness = new Harness();
  const blocks = toyChain(5);
  afterEach(() => harness.stop());

  it('continues to serve other peers', async () => {
    const { node } = await harness.node(blocks);
    const standing = { height: 6, tip: sha256(blocks[5]?.block ?? Buffer.alloc(0)) };
    const random = fc.sample(
      fc.record({ frame: fc.constantFrom(...recorded), at: fc.nat(), value: fc.integer({ min: 0, max: 255 }) }),
      150,
    );
    for (const { frame, at, value } of random) {
      const peer = await ScriptedPeer.dial(node.port);
      await peer.handshake({ ...standing, peerId: BigInt(at) + 1n });
      const bytes = Buffer.from(frame);
      bytes[at % bytes.length] = value;
      peer.raw(bytes);
      peer.socket.end();
      await peer.closed;
    }
    const honest = await ScriptedPeer.dial(node.port);
    const response = await honest.handshake(standing);
    expect(response.syncData.currentHeight).toBe(6);
    honest.end();
  });
});
