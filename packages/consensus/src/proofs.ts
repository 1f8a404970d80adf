import {
  checkHash,
  checkKeyImagesAsync,
  checkKeysAsync,
  checkRingSignaturesAsync,
  powHashMany,
  type PowAlgorithm,
  type RingCheck,
} from '@wrkz/crypto';
import type { ParsedTransaction } from '@wrkz/core-types';
import { RuleFailure } from './errors';
import { TX_POW_ALGORITHM } from './tx-pow';

/** Whose proof it is: undefined for the block itself. */
interface ProofOwner {
  readonly transaction: ParsedTransaction | undefined;
}

/**
 * A check that needs arithmetic alone, and much of it. Staging writes the checks down in the reference's order and goes
 * on; they are run later, many at once, on native threads. PROOF_CODES has the refusal of each kind.
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

/** The refusal that a failed proof of each kind means. */
const PROOF_CODES = {
  pow: 'PROOF_OF_WORK_TOO_WEAK',
  txPow: 'POW_INVALID',
  keyImage: 'INPUT_INVALID_DOMAIN_KEYIMAGES',
  outputKey: 'OUTPUT_INVALID_KEY',
  ring: 'INPUT_INVALID_SIGNATURES',
} as const satisfies Record<ProofKind, string>;

/** Runs one kind of proof; the verdicts are in the order given. */
type Runner<K extends ProofKind> = (proofs: readonly Extract<Proof, { kind: K }>[]) => Promise<readonly boolean[]>;

const RUNNERS: { readonly [K in ProofKind]: Runner<K> } = {
  pow: async (proofs) => {
    const hashes = await powHashMany(proofs.map((proof) => ({ algorithm: proof.algorithm, data: proof.input })));
    return proofs.map((proof, i) => meets(hashes[i], proof.difficulty));
  },
  txPow: async (proofs) => {
    const hashes = await powHashMany(proofs.map((proof) => ({ algorithm: TX_POW_ALGORITHM, data: proof.prefix })));
    return proofs.map((proof, i) => meets(hashes[i], proof.difficulty));
  },
  keyImage: (proofs) => checkKeyImagesAsync(proofs.map((proof) => proof.keyImage)),
  outputKey: (proofs) => checkKeysAsync(proofs.map((proof) => proof.key)),
  ring: (proofs) => checkRingSignaturesAsync(proofs.map((proof) => proof.check)),
};

const meets = (hash: Buffer | undefined, difficulty: bigint): boolean =>
  hash !== undefined && checkHash(hash, difficulty);

/**
 * Runs proofs of any number of blocks and transactions together: each kind is one batch on the native threads.
 *
 * @returns a verdict for each proof, in the order given
 */
export async function runProofs(proofs: readonly Proof[]): Promise<boolean[]> {
  const verdicts = new Array<boolean>(proofs.length).fill(false);
  const run = async <K extends ProofKind>(kind: K): Promise<void> => {
    const places: number[] = [];
    const batch: Extract<Proof, { kind: K }>[] = [];
    proofs.forEach((proof, place) => {
      if (!isKind(proof, kind)) return;
      places.push(place);
      batch.push(proof);
    });
    if (batch.length === 0) return;
    const results = await RUNNERS[kind](batch);
    places.forEach((place, i) => (verdicts[place] = results[i] === true));
  };
  await Promise.all([run('keyImage'), run('outputKey'), run('txPow'), run('ring'), run('pow')]);
  return verdicts;
}

function isKind<K extends ProofKind>(proof: Proof, kind: K): proof is Extract<Proof, { kind: K }> {
  return proof.kind === kind;
}

/** The refusal of the first proof that failed: staging wrote them down in the order of the rules. */
export function firstFailure(proofs: readonly Proof[], verdicts: readonly boolean[]): RuleFailure | undefined {
  if (verdicts.length !== proofs.length) {
    throw new RangeError(`${verdicts.length} verdicts for ${proofs.length} proofs`);
  }
  const failed = proofs[verdicts.indexOf(false)];
  if (failed === undefined) return undefined;
  return new RuleFailure(PROOF_CODES[failed.kind], { transactionHash: failed.transaction?.hash });
}
