import * as crypto from '@wrkz/crypto';
import { type Proof, runProofs } from '../src';
import { firstFailure } from '../src/proofs';

/** A point of the curve outside the group of prime order: y = p - 1, of order two. */
const ORDER_TWO = Buffer.from(`ec${'ff'.repeat(30)}7f`, 'hex');

function ring(): Extract<Proof, { kind: 'ring' }>['check'] {
  const pairs = [crypto.generateKeyPair(), crypto.generateKeyPair()];
  const { publicKey, secretKey } = pairs[1]!;
  const publicKeys = pairs.map((pair) => pair.publicKey);
  const prefixHash = crypto.cnFastHash(publicKey);
  const keyImage = crypto.generateKeyImage(publicKey, secretKey);
  const signatures = crypto.generateRingSignatures(prefixHash, keyImage, publicKeys, secretKey, 1);
  return { prefixHash, keyImage, publicKeys, signatures };
}

const transaction = undefined;
const ringProof = (check: ReturnType<typeof ring>): Proof => ({ kind: 'ring', check, transaction });
const imageProof = (keyImage: Uint8Array): Proof => ({ kind: 'keyImage', keyImage: keyImage as Buffer, transaction });

test('a key image gets the same result with its ring and without it', async () => {
  const [good, wrong, foreign] = [ring(), ring(), ring()];
  const forged = { ...wrong, signatures: Buffer.alloc(128) };
  const outside = { ...foreign, keyImage: Buffer.from(ORDER_TWO) };
  const alone = Buffer.from(ORDER_TWO);
  const proofs = [
    imageProof(good.keyImage),
    imageProof(forged.keyImage),
    imageProof(outside.keyImage),
    imageProof(alone),
    imageProof(ring().keyImage),
    ringProof(outside),
    ringProof(good),
    ringProof(forged),
  ];
  expect(await runProofs(proofs)).toEqual([true, true, false, false, true, false, true, false]);
  expect(await runProofs([...proofs].reverse())).toEqual([false, true, false, true, false, false, true, true]);
  for (const proof of proofs.filter(({ kind }) => kind === 'keyImage')) {
    const { keyImage } = proof as Extract<Proof, { kind: 'keyImage' }>;
    expect(await runProofs([proof])).toEqual([crypto.isPrimeOrder(keyImage)]);
  }
});

test('every proof needs its result', () => {
  const proof: Proof = { kind: 'outputKey', key: Buffer.alloc(32), transaction: undefined };
  expect(() => firstFailure([proof, proof], [true])).toThrow('1 verdicts for 2 proofs');
  expect(firstFailure([proof], [true])).toBeUndefined();
});
