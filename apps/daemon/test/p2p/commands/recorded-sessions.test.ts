import * as commands from '@wrkz/levin';
import { Command, encodeFrame, type Frame } from '@wrkz/levin';
import { readJsonLines } from '@wrkz/testing/fixtures';
import { chainA, ScriptedPeer } from '@wrkz/testing';
import { blockCodec } from '../../../src/p2p/hashes';
import { Harness } from '../harness';

interface Recorded {
  readonly scene: string;
  readonly from: 'daemon' | 'peer';
  readonly command: number;
  readonly frame: string;
}

const recorded = readJsonLines<Recorded>('devnet/p2p.jsonl');
const [syncing, others] = [
  recorded.filter(({ scene }) => scene.includes('three blocks ahead')),
  recorded.filter(({ scene }) => !scene.includes('three blocks ahead')),
];

/*
 * Volatile, and therefore not compared: peer_id, local_time, my_port; the version (17 then, 19 now); the capability
 * fields, which came with version 19. Everything else is compared byte for byte.
 */
function withoutVolatile(frame: Frame): unknown {
  const isResponse = frame.kind === 'response';
  const sync = ({ currentHeight, tipHash }: commands.SyncData): unknown => ({
    currentHeight,
    tipHash: tipHash.toString('hex'),
  });
  if (frame.command === Command.handshake) {
    const codec = isResponse ? commands.handshakeResponse : commands.handshakeRequest;
    const { nodeData, syncData } = codec.decode(frame.body);
    return {
      kind: frame.kind,
      returnCode: frame.returnCode,
      id: nodeData.networkId.toString('hex'),
      sync: sync(syncData),
    };
  }
  if (frame.command === Command.timedSync && isResponse) {
    const { syncData, peers } = commands.timedSyncResponse.decode(frame.body);
    return { kind: frame.kind, returnCode: frame.returnCode, sync: sync(syncData), peers };
  }
  if (frame.command === Command.ping && isResponse) {
    return { kind: frame.kind, returnCode: frame.returnCode, status: commands.pingResponse.decode(frame.body).status };
  }
  return encodeFrame(frame).toString('hex');
}

function frameOf(line: Recorded): Frame {
  const bytes = Buffer.from(line.frame, 'hex');
  const response = bytes.readUInt32LE(25) === 2;
  return {
    command: bytes.readUInt32LE(17),
    kind: response ? 'response' : bytes[16] === 1 ? 'request' : 'notification',
    returnCode: bytes.readInt32LE(21),
    body: bytes.subarray(33),
  };
}

async function play(peer: ScriptedPeer, lines: readonly Recorded[]): Promise<void> {
  for (const line of lines) {
    if (line.from === 'peer') {
      peer.raw(Buffer.from(line.frame, 'hex'));
      continue;
    }
    const frame = await peer.next();
    expect(withoutVolatile(frame)).toEqual(withoutVolatile(frameOf(line)));
  }
}

describe('responses to recorded frames', () => {
  const harness = new Harness();
  const blocks = chainA();
  afterEach(() => harness.stop());

  it('of an outgoing peer that is three blocks ahead', async () => {
    const server = await harness.server();
    const { chain, node } = await harness.node(
      blocks.slice(0, 718),
      { exclusiveNodes: [server.address] },
      { codec: blockCodec },
    );
    const peer = await server.caller();
    await play(peer, syncing);
    expect(chain.tip().height).toBe(720);
    expect(node.isSynchronized()).toBe(true);
    expect(node.peers()).toMatchObject([{ state: 'normal', height: 721, incoming: false }]);
    expect(peer.left).toEqual([]);
    peer.end();
  });

  it('of an incoming peer: chain, objects, known blocks, transactions, pool, unknown command, ping', async () => {
    const { node, pool } = await harness.node(blocks, {}, { codec: blockCodec });
    const peer = await ScriptedPeer.dial(node.port);
    await play(peer, others);
    expect(pool.hashes()).toHaveLength(2);
    expect(peer.left).toEqual([]);
    peer.end();
  });
});
