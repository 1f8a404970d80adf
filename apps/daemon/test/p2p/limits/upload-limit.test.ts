import { Command, requestObjects, responseObjects } from '@wrkz/levin';
import { ScriptedPeer } from '@wrkz/testing';
import { UploadLimit } from '../../../src/p2p/limits/upload-limit';
import { sha256, toyChain } from '../fakes';
import { closedFor, Harness } from '../harness';

const DAY_MS = 24 * 3_600_000;
const blocks = toyChain(1_500);
const hashes = blocks.map(({ block }) => sha256(block));
const tip = hashes[1_500] as Buffer;
const old = hashes[59] as Buffer;
const recent = hashes[60] as Buffer;

describe('the upload limit', () => {
  const harness = new Harness();
  afterEach(() => harness.stop());

  async function peerOf(maxUpload: number) {
    const { node, logger } = await harness.node(blocks, { maxUpload });
    const dial = async (): Promise<ScriptedPeer> => {
      const peer = await ScriptedPeer.dial(node.port);
      await peer.handshake({ height: 1_501, tip });
      return peer;
    };
    return { dial, logger };
  }

  const request = (peer: ScriptedPeer, hash: Buffer): void =>
    peer.send(Command.requestObjects, requestObjects.encode({ transactions: [], blocks: [hash] }));

  async function isServed(peer: ScriptedPeer, hash: Buffer): Promise<boolean> {
    request(peer, hash);
    return responseObjects.decode((await peer.nextOf(Command.responseObjects)).body).blocks.length === 1;
  }

  it('closes connections that request old blocks once it is reached, and always serves the last day', async () => {
    const { dial, logger } = await peerOf(1);
    const peer = await dial();
    expect(await isServed(peer, recent)).toBe(true);
    expect(await isServed(peer, old)).toBe(true);
    expect(await isServed(peer, recent)).toBe(true);
    request(peer, old);
    await closedFor({ peer, logger }, 'upload limit');
    const again = await dial();
    expect(await isServed(again, recent)).toBe(true);
    again.end();
  });

  it('is off by default', async () => {
    const peer = await (await peerOf(0)).dial();
    for (let i = 0; i < 3; i++) expect(await isServed(peer, old)).toBe(true);
    peer.end();
  });

  it('begins again 24 hours after the first limited block', () => {
    let now = 5;
    const chain = { tip: () => ({ height: 1_500, hash: tip }), heightOf: () => 0 };
    const limit = new UploadLimit(100, chain, () => now);
    expect([limit.take(old, 99), limit.take(old, 50), limit.take(old, 1)]).toEqual([true, true, false]);
    now += DAY_MS - 1;
    expect(limit.take(old, 1)).toBe(false);
    now += 1;
    expect([limit.take(old, 100), limit.take(old, 1)]).toEqual([true, false]);
  });

  it('counts and limits main-chain blocks that are older than a day, one look-up for each served block', () => {
    const heights = new Map([
      ['00', 59],
      ['01', 60],
    ]);
    const heightOf = jest.fn((hash: Buffer) => heights.get(hash.toString('hex')));
    const limit = new UploadLimit(100, { tip: () => ({ height: 1_500, hash: tip }), heightOf }, () => 0);
    const [aged, recentBlock, unknown] = [Buffer.from([0]), Buffer.from([1]), Buffer.from([2])];
    expect([limit.take(recentBlock, 1_000), limit.take(unknown, 1_000)]).toEqual([true, true]);
    expect([limit.take(aged, 100), limit.take(aged, 100)]).toEqual([true, false]);
    expect([limit.take(recentBlock, 1_000), limit.take(unknown, 1_000)]).toEqual([true, true]);
    expect(heightOf).toHaveBeenCalledTimes(6);
  });
});
