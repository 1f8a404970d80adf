import { readJsonLines } from '@wrkz/testing/fixtures';
import * as fc from 'fast-check';
import * as commands from '../src';
import {
  BodyError,
  bodyLimit,
  ByteBudget,
  Command,
  encodeFrame,
  type Frame,
  type FrameError,
  FrameParser,
  HEADER_SIZE,
  MAX_FRAME_BODY,
  SMALL_FRAME_BODY,
} from '../src';

const recorded = readJsonLines<{ frame: string }>('devnet/p2p.jsonl').map(({ frame }) => Buffer.from(frame, 'hex'));

const decoders: readonly ((body: Buffer) => unknown)[] = [
  commands.handshakeRequest.decode,
  commands.handshakeResponse.decode,
  commands.timedSyncRequest.decode,
  commands.timedSyncResponse.decode,
  commands.pingResponse.decode,
  commands.newBlock.decode,
  commands.newTransactions.decode,
  commands.requestObjects.decode,
  commands.responseObjects.decode,
  commands.requestChain.decode,
  commands.responseChain.decode,
  commands.requestPool.decode,
  commands.newLiteBlock.decode,
  commands.missingTransactions.decode,
];

function parse(
  bytes: Buffer,
  step: number,
  budget = new ByteBudget(1 << 30),
): { frames: Frame[]; error: FrameError | undefined } {
  const frames: Frame[] = [];
  const parser = new FrameParser({ limitOf: () => MAX_FRAME_BODY, onFrame: (frame) => frames.push(frame), budget });
  let error: FrameError | undefined;
  for (let at = 0; at < bytes.length && error === undefined; at += step)
    error = parser.push(bytes.subarray(at, at + step));
  parser.end();
  expect(budget.inUse).toBe(0);
  return { frames, error };
}

describe('frames of an untrusted peer', () => {
  it('random bytes are rejected after the first eight', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: HEADER_SIZE, maxLength: 4000 }),
        fc.integer({ min: 1, max: 500 }),
        (bytes, step) => {
          const { frames, error } = parse(Buffer.from(bytes), step);
          expect(frames).toEqual([]);
          expect(error).toBe('bad-signature');
        },
      ),
    );
  });

  it('frames of any content are unchanged after encoding and parsing, in any chunks', () => {
    const frame = fc.record({
      command: fc.integer({ min: 0, max: 0xffffffff }),
      kind: fc.constantFrom('request' as const, 'notification' as const, 'response' as const),
      returnCode: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      body: fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes)),
    });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 5 }), fc.integer({ min: 1, max: 4000 }), (frames, step) => {
        expect(parse(Buffer.concat(frames.map(encodeFrame)), step)).toEqual({ frames, error: undefined });
      }),
    );
  });

  it('a declared length allocates nothing: only received bytes are buffered', () => {
    const header = encodeFrame({
      command: Command.newTransactions,
      kind: 'notification',
      returnCode: 0,
      body: Buffer.alloc(0),
    });
    const before = process.memoryUsage().arrayBuffers;
    const parsers = Array.from({ length: 200 }, () => {
      const budget = new ByteBudget(1 << 30);
      const parser = new FrameParser({ limitOf: () => MAX_FRAME_BODY, onFrame: () => undefined, budget });
      header.writeBigUInt64LE(BigInt(MAX_FRAME_BODY), 8);
      parser.push(Buffer.from(header));
      parser.push(Buffer.alloc(10));
      expect(budget.inUse).toBe(10);
      return parser;
    });
    expect(parsers.every((parser) => parser.inFrame)).toBe(true);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(MAX_FRAME_BODY);
  });

  it('all connections together buffer no more than the budget', () => {
    const budget = new ByteBudget(1000);
    const half = encodeFrame({ command: 1, kind: 'request', returnCode: 0, body: Buffer.alloc(800) }).subarray(0, 600);
    const make = (): FrameParser =>
      new FrameParser({ limitOf: () => MAX_FRAME_BODY, onFrame: () => undefined, budget });
    const [first, second] = [make(), make()];
    expect(first.push(Buffer.from(half))).toBeUndefined();
    expect(second.push(Buffer.from(half))).toBe('memory-budget');
    first.end();
    expect(make().push(Buffer.from(half))).toBeUndefined();
  });

  it('single bytes do not cause an object each', () => {
    const budget = new ByteBudget(1 << 30);
    const parser = new FrameParser({ limitOf: () => MAX_FRAME_BODY, onFrame: () => undefined, budget });
    const bytes = encodeFrame({ command: 1, kind: 'request', returnCode: 0, body: Buffer.alloc(100_000) });
    for (let at = 0; at < 50_000; at += 1) parser.push(bytes.subarray(at, at + 1));
    expect((parser as unknown as { pieces: Buffer[] }).pieces.length).toBeLessThan(1000);
  });

  it('limits depend on the command and on pending requests', () => {
    const header = {
      command: Command.responseObjects as number,
      kind: 'notification' as const,
      returnCode: 0,
      length: 0n,
    };
    const context = { handshaken: true, objectsRequested: false, transactionsRequested: false };
    expect(bodyLimit(header, { ...context, handshaken: false })).toBe(SMALL_FRAME_BODY);
    expect(bodyLimit(header, context)).toBe(1024 * 1024);
    expect(bodyLimit(header, { ...context, objectsRequested: true })).toBe(MAX_FRAME_BODY);
    expect(bodyLimit({ ...header, command: Command.newTransactions }, context)).toBeLessThan(MAX_FRAME_BODY);
    expect(bodyLimit({ ...header, command: 4242 }, context)).toBe(SMALL_FRAME_BODY);
  });
});

describe('bodies of an untrusted peer', () => {
  const bodies = recorded.map((bytes) => bytes.subarray(HEADER_SIZE)).filter((body) => body.length > 10);

  const decodesOrRefuses = (body: Buffer): void => {
    for (const decode of decoders) {
      try {
        decode(body);
      } catch (error) {
        if (!(error instanceof BodyError)) throw error;
      }
    }
  };

  it('recorded ones with changed, removed or duplicated bytes are decoded or rejected with a BodyError', () => {
    const mutation = fc.record({
      body: fc.constantFrom(...bodies),
      changes: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 8 }),
      cut: fc.option(fc.nat(), { nil: undefined }),
      doubled: fc.boolean(),
    });
    fc.assert(
      fc.property(mutation, ({ body, changes, cut, doubled }) => {
        let bytes = Buffer.from(body);
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        if (cut !== undefined) bytes = bytes.subarray(0, cut % (bytes.length + 1));
        decodesOrRefuses(doubled ? Buffer.concat([bytes, bytes]) : bytes);
      }),
      { numRuns: 1000 },
    );
  });

  it('the same for random bytes after a valid header', () => {
    const header = Buffer.from('011101010101020101', 'hex');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        decodesOrRefuses(Buffer.concat([header, bytes]));
      }),
      { numRuns: 1000 },
    );
  });
});
