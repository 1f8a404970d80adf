import { MessageChannel } from 'node:worker_threads';
import fc from 'fast-check';
import { pack, transferList, unpack } from '../../src';

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc.bigInt(),
    fc.integer(),
    fc.string(),
    fc.constant(undefined),
    fc.array(tie('any')),
    fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      tie('any'),
      { noNullPrototype: true },
    ),
  ),
})).any;

describe('values between threads', () => {
  it('are unchanged after packing and unpacking, bytes as Buffers', () => {
    fc.assert(fc.property(value, (any) => expect(unpack(pack(any))).toEqual(any)));
  });

  it('are posted unchanged if they contain no bytes', () => {
    const query = { amounts: [1n, 2n], count: 8 };
    expect(pack(query)).toEqual({ value: query });
    expect(transferList(pack(query))).toEqual([]);
    expect(transferList(pack([Buffer.alloc(0)]))).toEqual([]);
  });

  it('are sent through a port without the memory around a slice', async () => {
    const frame = Buffer.alloc(1024 * 1024, 7);
    const packed = pack({ hash: frame.subarray(10, 42), amount: 5n });
    expect(packed.bytes?.buffer.byteLength).toBe(32);
    const { port1, port2 } = new MessageChannel();
    const received = new Promise<{ hash: Buffer; amount: bigint }>((resolve) =>
      port2.once('message', (message: ReturnType<typeof pack>) => resolve(unpack(message))),
    );
    port1.postMessage(packed, transferList(packed));
    const { hash, amount } = await received;
    port1.close();
    expect(Buffer.isBuffer(hash)).toBe(true);
    expect(hash).toEqual(Buffer.alloc(32, 7));
    expect(amount).toBe(5n);
  });
});
