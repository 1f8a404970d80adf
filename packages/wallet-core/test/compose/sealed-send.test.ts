import fc from 'fast-check';
import { type FinishedSend, sealSend, unsealSend, type WalletOutput } from '../../src';

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array) => Buffer.from(array).toString('hex'));
const amount = fc.bigInt(0n, 2n ** 64n - 1n);
const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const output: fc.Arbitrary<WalletOutput> = fc.record({
  keyImage: optional(hex(32)),
  amount,
  blockHeight: fc.nat(),
  transactionPublicKey: hex(32),
  outputIndex: fc.nat(),
  globalIndex: optional(fc.nat()),
  key: hex(32),
  spendHeight: fc.nat(),
  unlockTime: amount,
  parentTransactionHash: hex(32),
  privateEphemeral: optional(hex(32)),
  spendingTransactionHash: optional(hex(32)),
});
const finished: fc.Arbitrary<FinishedSend> = hex(32).chain((hash) =>
  fc.record({
    bytes: fc.uint8Array().map((array) => Buffer.from(array)),
    hash: fc.constant(hash),
    fee: amount,
    mixin: fc.nat(),
    defaultMixin: fc.nat(),
    intent: fc.record({
      hash: fc.constant(hash),
      inputs: fc.array(fc.record({ output, publicSpendKey: hex(32) })),
      ownOutputs: fc.array(fc.record({ publicSpendKey: hex(32), amount, key: hex(32) })),
      fee: amount,
      paymentId: fc.oneof(fc.constant(''), hex(8), hex(32)),
      transactionSecretKey: hex(32),
      transfers: fc.array(fc.record({ publicSpendKey: hex(32), amount: fc.bigInt(-(2n ** 64n), 2n ** 64n) })),
    }),
  }),
);
const KEY = '0b'.repeat(32);

test('what was sealed comes back as it was, and nothing of it is to be read', () => {
  fc.assert(
    fc.property(finished, (send) => {
      const sealed = sealSend(send, KEY);
      expect(unsealSend(sealed, KEY)).toEqual(send);
      expect(sealed.includes(send.intent.transactionSecretKey)).toBe(false);
      expect(sealed.includes(send.hash)).toBe(false);
      expect(sealSend(send, KEY).equals(sealed)).toBe(false);
    }),
    { numRuns: 50 },
  );
});

test('another wallet does not open it, and a changed byte is noticed', () => {
  fc.assert(
    fc.property(finished, fc.nat(), (send, at) => {
      const sealed = sealSend(send, KEY);
      expect(() => unsealSend(sealed, '0c'.repeat(32))).toThrow();
      const place = at % sealed.length;
      sealed[place] = (sealed[place] ?? 0) ^ 1;
      expect(() => unsealSend(sealed, KEY)).toThrow();
    }),
    { numRuns: 50 },
  );
});
