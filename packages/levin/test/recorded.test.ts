import { readJsonLines } from '@wrkz/testing/fixtures';
import * as commands from '../src';
import { ByteBudget, Command, encodeFrame, type Frame, FrameParser } from '../src';

interface Recorded {
  readonly scene: string;
  readonly from: 'daemon' | 'peer';
  readonly command: number;
  readonly frame: string;
  readonly decoded: Record<string, unknown>;
}

const frames = readJsonLines<Recorded>('devnet/p2p.jsonl');

function parseAll(bytes: Buffer): Frame[] {
  const parsed: Frame[] = [];
  const parser = new FrameParser({
    limitOf: () => 50_000_000,
    onFrame: (frame) => parsed.push(frame),
    budget: new ByteBudget(100_000_000),
  });
  expect(parser.push(bytes)).toBeUndefined();
  return parsed;
}

const hex = (bytes: Buffer): string => bytes.toString('hex');
const packed = (hashes: readonly Buffer[]): string | undefined =>
  hashes.length === 0 ? undefined : hex(Buffer.concat(hashes));
const list = (items: readonly Buffer[]): string[] | undefined => (items.length === 0 ? undefined : items.map(hex));
const rawBlock = (raw: { block: Buffer; transactions: readonly Buffer[] }): object =>
  plain({ block: hex(raw.block), txs: list(raw.transactions) });

/** Drops undefined fields, because the recording omits fields that were not in the frame. */
function plain(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined));
}

function nodeData(data: commands.NodeData): object {
  return {
    network_id: hex(data.networkId),
    version: data.version,
    peer_id: data.peerId.toString(),
    local_time: data.localTime.toString(),
    my_port: data.myPort,
  };
}

function syncData(data: commands.SyncData): object {
  return plain({
    current_height: data.currentHeight,
    top_id: hex(data.tipHash),
    capability_flags: data.capabilityFlags,
    pruned_node_height: data.prunedNodeHeight,
    lite_start_height: data.liteStartHeight,
  });
}

/** Decodes a body with the codec of its command. @returns the message in the format of the recordings, and its encoding */
function through(frame: Frame): { decoded: object; body: Buffer } {
  const { body, command, kind } = frame;
  switch (command) {
    case Command.handshake: {
      const codec = kind === 'response' ? commands.handshakeResponse : commands.handshakeRequest;
      const message = codec.decode(body);
      return {
        decoded: { node_data: nodeData(message.nodeData), payload_data: syncData(message.syncData) },
        body: codec.encode(message as commands.HandshakeResponse),
      };
    }
    case Command.timedSync: {
      if (kind !== 'response') {
        const message = commands.timedSyncRequest.decode(body);
        return {
          decoded: { payload_data: syncData(message.syncData) },
          body: commands.timedSyncRequest.encode(message),
        };
      }
      const message = commands.timedSyncResponse.decode(body);
      return {
        decoded: { local_time: message.localTime.toString(), payload_data: syncData(message.syncData) },
        body: commands.timedSyncResponse.encode(message),
      };
    }
    case Command.ping: {
      if (kind !== 'response') return { decoded: {}, body: commands.pingRequest.encode() };
      const message = commands.pingResponse.decode(body);
      return {
        decoded: { status: hex(Buffer.from(message.status)), peer_id: message.peerId.toString() },
        body: commands.pingResponse.encode(message),
      };
    }
    case Command.newBlock: {
      const message = commands.newBlock.decode(body);
      return {
        decoded: { b: rawBlock(message.block), current_blockchain_height: message.currentHeight, hop: message.hop },
        body: commands.newBlock.encode(message),
      };
    }
    case Command.newTransactions: {
      const message = commands.newTransactions.decode(body);
      return { decoded: plain({ txs: list(message.transactions) }), body: commands.newTransactions.encode(message) };
    }
    case Command.requestObjects: {
      const message = commands.requestObjects.decode(body);
      return {
        decoded: plain({ txs: packed(message.transactions), blocks: packed(message.blocks) }),
        body: commands.requestObjects.encode(message),
      };
    }
    case Command.responseObjects: {
      const message = commands.responseObjects.decode(body);
      return {
        decoded: plain({
          txs: list(message.transactions),
          blocks: message.blocks.map(rawBlock),
          missed_ids: packed(message.missed),
          current_blockchain_height: message.currentHeight,
        }),
        body: commands.responseObjects.encode(message),
      };
    }
    case Command.requestChain: {
      const message = commands.requestChain.decode(body);
      return { decoded: plain({ block_ids: packed(message.hashes) }), body: commands.requestChain.encode(message) };
    }
    case Command.responseChain: {
      const message = commands.responseChain.decode(body);
      return {
        decoded: plain({
          start_height: message.startHeight,
          total_height: message.totalHeight,
          m_block_ids: packed(message.hashes),
        }),
        body: commands.responseChain.encode(message),
      };
    }
    case Command.requestPool: {
      const { packed: named } = commands.requestPool.decode(body);
      const hashes = Array.from({ length: named.length / 32 }, (_, i) => named.subarray(i * 32, i * 32 + 32));
      return { decoded: plain({ txs: packed(hashes) }), body: commands.requestPool.encode({ hashes }) };
    }
    case Command.newLiteBlock: {
      const message = commands.newLiteBlock.decode(body);
      return {
        decoded: {
          current_blockchain_height: message.currentHeight,
          hop: message.hop,
          blockTemplate: hex(message.block),
        },
        body: commands.newLiteBlock.encode(message),
      };
    }
    default:
      return { decoded: {}, body };
  }
}

describe('the recorded frames', () => {
  it('are complete', () => {
    expect(frames).toHaveLength(36);
  });

  it.each(frames.map((recorded, index) => [index, recorded] as const))(
    'frame %i is unchanged after decoding and encoding',
    (_, recorded) => {
      const bytes = Buffer.from(recorded.frame, 'hex');
      const [frame, ...rest] = parseAll(bytes);
      if (frame === undefined) throw new Error('no frame');
      expect(rest).toEqual([]);
      expect(frame.command).toBe(recorded.command);
      const { decoded, body } = through(frame);
      expect(decoded).toEqual(recorded.decoded);
      expect(body.equals(frame.body)).toBe(true);
      expect(encodeFrame({ ...frame, body }).equals(bytes)).toBe(true);
    },
  );

  it('are the same for every split of the stream', () => {
    const stream = Buffer.concat(frames.map((recorded) => Buffer.from(recorded.frame, 'hex')));
    for (const step of [1, 7, 33, 1000]) {
      const parsed: Frame[] = [];
      const budget = new ByteBudget(stream.length);
      const parser = new FrameParser({ limitOf: () => 50_000_000, onFrame: (frame) => parsed.push(frame), budget });
      for (let at = 0; at < stream.length; at += step) parser.push(stream.subarray(at, at + step));
      expect(Buffer.concat(parsed.map(encodeFrame)).equals(stream)).toBe(true);
      expect(budget.inUse).toBe(0);
      expect(parser.inFrame).toBe(false);
    }
  });
});
