import { requireInteger, requireUint64 } from './arguments';
import { binding } from './binding';
import { hardwareThreads } from './cpu';
import { type PowAlgorithm, requirePowInput } from './pow';

export interface NonceSearch {
  algorithm: PowAlgorithm;
  /** The hashed bytes with space for the nonce; copied, never changed. */
  data: Uint8Array;
  /** Offset of the little-endian nonce in `data`. */
  nonceOffset: number;
  nonceSize: 4 | 8;
  difficulty: bigint;
  /** First nonce tried, default 0. */
  startNonce?: bigint;
  /** Last nonce tried, default the largest that fits. */
  maxNonce?: bigint;
  /** Number of native threads. Default: one per hardware thread. */
  threads?: number;
  signal?: AbortSignal;
  /** Receives the number of computed hashes, about every 150 ms. */
  onProgress?: (hashes: bigint) => void;
}

export interface FoundNonce {
  nonce: bigint;
  /** The nonce as in the data: `nonceSize` bytes, little-endian. */
  nonceBytes: Buffer;
  hash: Buffer;
  /** Hashes computed by the whole search. */
  hashes: bigint;
}

interface SearchHandle {
  stop(): void;
  hashes(): bigint;
}

interface SearchBinding {
  startSearch(
    algorithm: number,
    data: Uint8Array,
    nonceOffset: number,
    nonceSize: number,
    difficulty: bigint,
    first: bigint,
    last: bigint,
    threads: number,
    done: (error: string | null, nonce: bigint | null, hash: Buffer | null) => void,
  ): SearchHandle;
}

const PROGRESS_MS = 150;
const MAX_THREADS = 1024;

interface CheckedSearch {
  algorithm: number;
  first: bigint;
  last: bigint;
  threads: number;
}

function checkSearch(options: NonceSearch): CheckedSearch {
  const { data, nonceOffset, nonceSize, startNonce = 0n, threads = hardwareThreads() } = options;
  const algorithm = requirePowInput(options.algorithm, data);
  if (nonceSize !== 4 && nonceSize !== 8) throw new RangeError('nonceSize must be 4 or 8');
  requireInteger(nonceOffset, 'nonceOffset', 0, data.length);
  if (nonceOffset + nonceSize > data.length) throw new RangeError('the nonce must be inside the data');
  requireUint64(options.difficulty, 'difficulty');
  const largest = (1n << BigInt(8 * nonceSize)) - 1n;
  const last = options.maxNonce ?? largest;
  requireUint64(startNonce, 'startNonce');
  requireUint64(last, 'maxNonce');
  if (last > largest) throw new RangeError(`maxNonce must fit into ${nonceSize} bytes`);
  if (startNonce > last) throw new RangeError('startNonce must not be above maxNonce');
  requireInteger(threads, 'threads', 1, MAX_THREADS);
  return { algorithm, first: startNonce, last, threads };
}

/**
 * Searches a nonce whose hash meets the difficulty, on native threads, without blocking the event loop. Resolves with null if the
 * range contains none. Aborting the signal rejects with its reason at once; the threads end after their current hash.
 * @throws (as a rejection) TypeError or RangeError for inconsistent options
 */
export async function searchNonce(options: NonceSearch): Promise<FoundNonce | null> {
  const { algorithm, first, last, threads } = checkSearch(options);
  const { data, nonceOffset, nonceSize, difficulty, signal, onProgress } = options;
  signal?.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  let cancel: (() => void) | undefined;
  try {
    return await new Promise<FoundNonce | null>((resolve, reject) => {
      const handle = binding<SearchBinding>().startSearch(
        algorithm,
        data,
        nonceOffset,
        nonceSize,
        difficulty,
        first,
        last,
        threads,
        (error, nonce, hash) => {
          if (error !== null) return reject(new Error(error));
          if (nonce === null || hash === null) return resolve(null);
          const nonceBytes = Buffer.alloc(8);
          nonceBytes.writeBigUInt64LE(nonce);
          resolve({ nonce, nonceBytes: nonceBytes.subarray(0, nonceSize), hash, hashes: handle.hashes() });
        },
      );
      cancel = (): void => {
        handle.stop();
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', cancel, { once: true });
      if (onProgress !== undefined) timer = setInterval(() => onProgress(handle.hashes()), PROGRESS_MS);
    });
  } finally {
    clearInterval(timer);
    if (cancel !== undefined) signal?.removeEventListener('abort', cancel);
  }
}
