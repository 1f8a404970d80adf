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
import { TX_POW_ALGORITHM } from './tx-pow';

/** The transaction of the proof; undefined for the block itself. */
interface ProofOwner {
  readonly transaction: ParsedTransaction | undefined;
}

/**
 * A costly check without chain data. Staging collects the checks in the order of the reference; they run later, in
 * batches, on native threads. PROOF_CODES has the failure of each kind.
 */
export type Proof = ProofOwner &
  (
    | { readonly kind: 'pow'; readonly algorithm: PowAlgorithm; readonly input: Buffer; readonly difficulty: bigint }
    | { readonly kind: 'txPow'; readonly prefix: Buffer; readonly difficulty: bigint }
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

/** Proofs of one kind with their positions among all. */
interface Selection<K extends ProofKind> {
  readonly places: readonly number[];
  readonly proofs: readonly Extract<Proof, { kind: K }>[];
}

/** Stores whether the proof at a position is valid. */
type Settle = (place: number, holds: boolean) => void;

/** Checks of independent proofs; results are in the given order. */
const RUNNERS = {
  pow: async (proofs: Selection<'pow'>['proofs']) => {
    const hashes = await powHashMany(proofs.map((proof) => ({ algorithm: proof.algorithm, data: proof.input })));
    return proofs.map((proof, i) => meets(hashes[i], proof.difficulty));
  },
  txPow: async (proofs: Selection<'txPow'>['proofs']) => {
    const hashes = await powHashMany(proofs.map((proof) => ({ algorithm: TX_POW_ALGORITHM, data: proof.prefix })));
    return proofs.map((proof, i) => meets(hashes[i], proof.difficulty));
  },
  outputKey: (proofs: Selection<'outputKey'>['proofs']) => checkKeysAsync(proofs.map((proof) => proof.key)),
};

/**
 * Rings and key images together. The check of a ring includes the order of its key image, so only key images without a ring here
 * (in the checkpoint zone, or if staging stopped before the ring) are checked separately.
 */
async function checkSpends(rings: Selection<'ring'>, images: Selection<'keyImage'>, settle: Settle): Promise<void> {
  const ringOf = new Map(rings.proofs.map(({ check }, i) => [check.keyImage, i]));
  const alone = images.proofs.filter(({ keyImage }) => !ringOf.has(keyImage));
  const [verdicts, orders] = await Promise.all([
    checkRingsAsync(rings.proofs.map(({ check }) => check)),
    checkKeyImagesAsync(alone.map(({ keyImage }) => keyImage)),
  ]);
  const orderOf = new Map<Uint8Array, boolean | undefined>(alone.map(({ keyImage }, i) => [keyImage, orders[i]]));
  for (const [keyImage, ring] of ringOf) orderOf.set(keyImage, verdicts[ring]?.primeOrder);
  rings.places.forEach((place, i) => settle(place, verdicts[i]?.valid === true));
  images.places.forEach((place, i) => settle(place, orderOf.get(images.proofs[i]!.keyImage) === true));
}

const meets = (hash: Buffer | undefined, difficulty: bigint): boolean =>
  hash !== undefined && checkHash(hash, difficulty);

/**
 * Runs proofs of any number of blocks and transactions together: each kind is one batch on the native threads.
 *
 * @returns whether each proof is valid, in the given order
 */
export async function runProofs(proofs: readonly Proof[]): Promise<boolean[]> {
  const verdicts = new Array<boolean>(proofs.length).fill(false);
  const settle: Settle = (place, holds) => (verdicts[place] = holds);
  const run = async <K extends keyof typeof RUNNERS>(kind: K): Promise<void> => {
    const { places, proofs: batch } = select(proofs, kind);
    if (batch.length === 0) return;
    const results = await (RUNNERS[kind] as (batch: Selection<K>['proofs']) => Promise<boolean[]>)(batch);
    places.forEach((place, i) => settle(place, results[i] === true));
  };
  const spends = checkSpends(select(proofs, 'ring'), select(proofs, 'keyImage'), settle);
  await Promise.all([spends, run('outputKey'), run('txPow'), run('pow')]);
  return verdicts;
}

function select<K extends ProofKind>(all: readonly Proof[], kind: K): Selection<K> {
  const places: number[] = [];
  const proofs: Extract<Proof, { kind: K }>[] = [];
  all.forEach((proof, place) => {
    if (!isKind(proof, kind)) return;
    places.push(place);
    proofs.push(proof);
  });
  return { places, proofs };
}

function isKind<K extends ProofKind>(proof: Proof, kind: K): proof is Extract<Proof, { kind: K }> {
  return proof.kind === kind;
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
