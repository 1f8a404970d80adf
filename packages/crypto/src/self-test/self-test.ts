import { CURVE_LANE_COUNTS, type CurveLanes, IMPLEMENTATIONS, setCurveLanes, setImplementation } from '../cpu';
import { cnFastHash } from '../hash';
import { derivePublicKey, deriveSecretKey, generateKeyDerivation, generateKeyImage } from '../keys';
import { checkHash, powHash, powHashMany } from '../pow';
import { checkRingSignature, checkRingSignaturesAsync } from '../rings';
import { searchNonce } from '../search';
import { treeHash } from '../tree';
import { SELF_TEST_VECTORS, type SelfTestVectors } from './vectors';

/** Result of the self-test of one native code path. */
export interface SelfTestResult {
  /** `portable`, `avx2`..., `4 points at a time`... */
  readonly path: string;
  /** Number of compared results. */
  readonly checks: number;
  /** The differences; empty if all results are correct. */
  readonly failures: readonly string[];
}

/** Rings per batch, enough to fill the widest path. */
const MANY = 16;

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

/**
 * Compares the results of every native path that this processor supports with known results. Takes one or two seconds. Do not run
 * it concurrently with other computations: it switches the path of the whole process, and resets it to the default at the end.
 */
export async function selfTest(vectors: SelfTestVectors = SELF_TEST_VECTORS): Promise<SelfTestResult[]> {
  const results: SelfTestResult[] = [];
  try {
    for (const name of IMPLEMENTATIONS) {
      if (supports(() => setImplementation(name))) results.push(await onPath(name, (same) => hashes(vectors, same)));
    }
    setImplementation('auto');
    for (const lanes of CURVE_LANE_COUNTS) {
      if (supports(() => setCurveLanes(lanes)))
        results.push(await onPath(laneText(lanes), (same) => curve(vectors, same)));
    }
  } finally {
    setImplementation('auto');
    setCurveLanes('auto');
  }
  return results;
}

type Same = (what: string, found: unknown, known: unknown) => void;

async function onPath(path: string, work: (same: Same) => Promise<void>): Promise<SelfTestResult> {
  let checks = 0;
  const failures: string[] = [];
  const same: Same = (what, found, known) => {
    checks += 1;
    const shown = Buffer.isBuffer(found) ? found.toString('hex') : found;
    if (shown !== known) failures.push(`${what} is ${String(shown)} and not ${String(known)}`);
  };
  try {
    await work(same);
  } catch (error) {
    failures.push(String(error));
  }
  return { path, checks, failures };
}

async function hashes({ pow, fastHash, tree }: SelfTestVectors, same: Same): Promise<void> {
  for (const { data, hash } of fastHash) same('cn_fast_hash', cnFastHash(bytes(data)), hash);
  same('the tree hash', treeHash(tree.hashes.map(bytes)), tree.root);
  for (const { algorithm, data, hash } of pow) same(algorithm, powHash(algorithm, bytes(data)), hash);
  const jobs = pow.map(({ algorithm, data }) => ({ algorithm, data: bytes(data) }));
  const many = await powHashMany([...jobs, ...jobs]);
  many.forEach((hash, i) => {
    const row = pow[i % pow.length];
    same(`${row?.algorithm ?? ''} of many`, hash, row?.hash);
  });
  const data = Buffer.alloc(76, 7);
  const difficulty = 16n;
  const found = await searchNonce({ algorithm: 'cn_upx', data, nonceOffset: 39, nonceSize: 4, difficulty });
  same('a nonce search', found !== null && checkHash(found.hash, difficulty), true);
}

async function curve({ rings, output }: SelfTestVectors, same: Same): Promise<void> {
  const jobs = rings.map((ring) => ({
    prefixHash: bytes(ring.prefixHash),
    keyImage: bytes(ring.keyImage),
    publicKeys: ring.keys.map(bytes),
    signatures: bytes(ring.signatures),
  }));
  jobs.forEach(({ prefixHash, keyImage, publicKeys, signatures: signed }, i) =>
    same('a ring', checkRingSignature(prefixHash, keyImage, publicKeys, signed), rings[i]?.valid),
  );
  const many = await checkRingSignaturesAsync(Array.from({ length: MANY }, () => jobs).flat());
  many.forEach((valid, i) => same('a ring of many', valid, rings[i % rings.length]?.valid));
  const derivation = generateKeyDerivation(bytes(output.transactionKey), bytes(output.viewSecret));
  same('a key derivation', derivation, output.derivation);
  if (derivation === null) return;
  const key = derivePublicKey(derivation, output.index, bytes(output.spendKey));
  const secret = deriveSecretKey(derivation, output.index, bytes(output.spendSecret));
  same('an output key', key, output.key);
  same('an output secret', secret, output.secret);
  same('a key image', generateKeyImage(bytes(output.key), secret), output.keyImage);
}

function laneText(lanes: CurveLanes): string {
  return lanes === 1 ? 'one point at a time' : `${String(lanes)} points at a time`;
}

function supports(choose: () => void): boolean {
  try {
    choose();
    return true;
  } catch {
    return false;
  }
}
