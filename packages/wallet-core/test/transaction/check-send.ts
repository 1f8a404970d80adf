import fc from 'fast-check';
import {
  type ChainView,
  ringIndexes,
  runProofs,
  settleTransaction,
  stageForTemplate,
  stageTransaction,
  walletTransactionSizeLimit,
} from '@wrkz/consensus';
import {
  isPrettyAmount,
  type Network,
  type ParsedTransaction,
  parseExtraWallet,
  parseTransaction,
} from '@wrkz/core-types';
import { aliceWith, bob, FakeNode, NOW, portsOf, decryptedId, receivedBy } from './support';
import { buildSend } from '../../src/transaction/build-send';
import type { SignedSend, DecoySet, SendRequest } from '../../src/transaction/model';

/** One digit times a power of ten, like the amounts of outputs. */
const pretty = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 2, max: 10 }))
  .map(([digit, power]) => BigInt(digit) * 10n ** BigInt(power));

/** A send of any kind. */
export const anySend = fc.record({
  amounts: fc.array(pretty, { minLength: 2, maxLength: 14 }),
  /** The sent part of the wallet in thousandths. */
  share: fc.integer({ min: 1, max: 900 }),
  fee: fc.oneof(
    fc.constant({ kind: 'minimum' as const }),
    fc.double({ min: 10 / 128, max: 3, noNaN: true }).map((rate) => ({ kind: 'perByte' as const, rate })),
    fc.bigInt({ min: 50_000n, max: 60_000n }).map((amount) => ({ kind: 'fixed' as const, amount })),
  ),
  paymentId: fc.constantFrom('', '1122334455667788', '0123456789abcdef'.repeat(4)),
  extra: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('hex')),
});

type Case = typeof anySend extends fc.Arbitrary<infer T> ? T : never;

/** A chain with the decoys of the fake node and the own outputs. */
function chainOf(sets: readonly DecoySet[], built: SignedSend): ChainView['output'] {
  const known = new Map<string, Buffer>();
  for (const { amount, outputs } of sets) {
    for (const { globalIndex, key } of outputs) known.set(`${amount} ${globalIndex}`, Buffer.from(key, 'hex'));
  }
  for (const { output } of built.pending.inputs) {
    known.set(`${output.amount} ${output.globalIndex}`, Buffer.from(output.key, 'hex'));
  }
  return (amount, index) => {
    const key = known.get(`${amount} ${index}`);
    return key && { key, unlockTime: 0n, height: 0 };
  };
}

async function refusal(network: Network, height: number, parsed: ParsedTransaction, output: ChainView['output']) {
  const context = (at: number) => ({
    network,
    height: at,
    blockTimestamp: NOW,
    tipTimestamp: NOW,
    now: NOW,
    view: { keyImageHeight: () => undefined, output } as unknown as ChainView,
    pool: true,
    checkpointed: false,
    medianSize: network.rulesAt(height + 1).fullRewardZone,
    spentInBlock: new Set<string>(),
  });
  for (const staged of [stageTransaction(parsed, context(height)), stageForTemplate(parsed, context(height + 1))]) {
    const failure = settleTransaction(staged, await runProofs(staged.proofs));
    if (failure !== undefined) return failure.code;
  }
  return undefined;
}

/** Checks that pool and next block template accept a send, and that amounts, fee and change are exact. */
export async function checkSend(network: Network, height: number, { amounts, share, fee, paymentId, extra }: Case) {
  // Two large amounts pay for any fee.
  const view = aliceWith([...amounts, 500_000n, 500_000n], { network, localHeight: height, networkHeight: height });
  const funds = amounts.reduce((sum, amount) => sum + amount, 0n);
  const amount = (funds * BigInt(share)) / 1000n + 1n;
  const sets: DecoySet[] = [];
  const node = new FakeNode((given) => {
    sets.push(...given);
    return { kind: 'outs', sets: given };
  });
  const request: SendRequest = { destinations: [{ address: bob.address, amount }], fee, paymentId, extra };
  const built = await buildSend(request, view, portsOf(node));
  const parsed = parseTransaction(built.bytes);
  const { inputs, outputs } = parsed.transaction;
  const sum = (list: readonly bigint[]): bigint => list.reduce((a, b) => a + b, 0n);

  expect(await refusal(network, height, parsed, chainOf(sets, built))).toBeUndefined();
  expect(built.hash).toBe(parsed.hash.toString('hex'));
  expect(outputs.every((output) => isPrettyAmount(output.amount))).toBe(true);
  expect(outputs.map((output) => output.amount)).toEqual(outputs.map((o) => o.amount).sort((a, b) => (a < b ? -1 : 1)));
  expect(parsed.size).toBeLessThanOrEqual(walletTransactionSizeLimit(height));
  // The receiver gets exactly the requested amount; the rest is fee and change.
  const spent = sum(built.pending.inputs.map(({ output }) => output.amount));
  expect(sum(inputs.map((input) => (input.type === 'key' ? input.amount : 0n)))).toBe(spent);
  expect(sum(receivedBy(bob, parsed).map((own) => own.amount))).toBe(amount);
  expect(sum(built.pending.ownOutputs.map((own) => own.amount))).toBe(spent - amount - built.fee);
  expect(parsed.fee).toBe(built.fee);
  if (fee.kind === 'fixed') expect(built.fee).toBe(fee.amount);
  for (const input of inputs) {
    if (input.type !== 'key') throw new Error('not a key input');
    expect(input.keyOffsets).toHaveLength(built.mixin + 1);
    expect(input.keyOffsets.slice(1).every((offset) => offset > 0)).toBe(true);
    expect(new Set(ringIndexes(input.keyOffsets)).size).toBe(built.mixin + 1);
  }
  const read = parseExtraWallet(parsed.transaction.extra);
  expect(read.data.toString('hex')).toBe(extra);
  expect(decryptedId(read, bob)).toBe(paymentId);
}
