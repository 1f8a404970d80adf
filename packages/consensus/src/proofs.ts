import {
  checkHash,
  checkKeyImagesAsync,
  checkKeysAsync,
  checkRingsAsync,
  powHashMany,
  type PowAlgorithm,
  type RingCheck,
} from '@wrkz/crypto';
import type { ParsedTransaction } from '@wrkz/core-types';
import { RuleFailure } from './errors';

/** The transaction of the proof; undefined for the block itself. */
interface ProofOwner {
  readonly transaction: ParsedTransaction | undefined;
}

/** Proof of work. */
interface Work {
  readonly algorithm: PowAlgorithm;
  readonly input: Buffer;
  readonly difficulty: bigint;
}

/**
 * A costly check without chain data. Staging collects the checks in the order of the reference; they run later, in
 * batches, on native threads. PROOF_CODES has the failure of each kind.
 */
export type Proof = ProofOwner &
  (
    | ({ readonly kind: 'pow' } & Work)
    | ({ readonly kind: 'txPow' } & Work)
    | { readonly kind: 'keyImage'; readonly keyImage: Buffer }
    | { readonly kind: 'outputKey'; readonly key: Buffer }
    | { readonly kind: 'ring'; readonly check: RingCheck }
  );

export type ProofKind = Proof['kind'];

/** The failure for an invalid proof of each kind. */
const PROOF_CODES = {
  pow: 'PROOF_OF_WORK_TOO_WEAK',
  txPow: 'POW_INVALID',
  keyImage: 'INPUT_INVALID_DOMAIN_KEYIMAGES',
  outputKey: 'OUTPUT_INVALID_KEY',
  ring: 'INPUT_INVALID_SIGNATURES',
} as const satisfies Record<ProofKind, string>;

/**
 * Runs proofs of any number of blocks and transactions together: each kind is one batch on the native threads.
 *
 * @returns whether each proof is valid, in the given order
 */
export async function runProofs(proofs: readonly Proof[]): Promise<boolean[]> {
  const works = ofKinds(proofs, 'pow', 'txPow');
  const keys = ofKinds(proofs, 'outputKey');
  const rings = ofKinds(proofs, 'ring');
  // The check of a ring includes the order of its key image. Only key images without a ring here (in the checkpoint
  // zone, or if staging stopped before the ring) are checked separately.
  const inRings = new Set(rings.map(({ check }) => check.keyImage));
  const images = ofKinds(proofs, 'keyImage').filter(({ keyImage }) => !inRings.has(keyImage));
  const [hashes, keysValid, ringResults, orders] = await Promise.all([
    powHashMany(works.map(({ algorithm, input }) => ({ algorithm, data: input }))),
    checkKeysAsync(keys.map(({ key }) => key)),
    checkRingsAsync(rings.map(({ check }) => check)),
    checkKeyImagesAsync(images.map(({ keyImage }) => keyImage)),
  ]);
  const valid = new Map<Proof, boolean | undefined>();
  works.forEach((proof, i) => valid.set(proof, checkHash(hashes[i]!, proof.difficulty)));
  keys.forEach((proof, i) => valid.set(proof, keysValid[i]));
  rings.forEach((proof, i) => valid.set(proof, ringResults[i]?.valid));
  const hasPrimeOrder = new Map<Uint8Array, boolean | undefined>();
  rings.forEach(({ check }, i) => hasPrimeOrder.set(check.keyImage, ringResults[i]?.primeOrder));
  images.forEach(({ keyImage }, i) => hasPrimeOrder.set(keyImage, orders[i]));
  return proofs.map(
    (proof) => (proof.kind === 'keyImage' ? hasPrimeOrder.get(proof.keyImage) : valid.get(proof)) === true,
  );
}

function ofKinds<K extends ProofKind>(proofs: readonly Proof[], ...kinds: K[]): Extract<Proof, { kind: K }>[] {
  const wanted: readonly ProofKind[] = kinds;
  return proofs.filter((proof): proof is Extract<Proof, { kind: K }> => wanted.includes(proof.kind));
}

/** The failure of the first invalid proof; proofs are in the order of the rules. */
export function firstFailure(proofs: readonly Proof[], verdicts: readonly boolean[]): RuleFailure | undefined {
  if (verdicts.length !== proofs.length) {
    throw new RangeError(`${verdicts.length} verdicts for ${proofs.length} proofs`);
  }
  const failed = proofs[verdicts.indexOf(false)];
  if (failed === undefined) return undefined;
  return new RuleFailure(PROOF_CODES[failed.kind], { transactionHash: failed.transaction?.hash });
}
