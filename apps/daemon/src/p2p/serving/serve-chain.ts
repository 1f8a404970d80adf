import { responseChain, type RequestChain } from '@wrkz/levin';
import { MAX_CHAIN_HASHES } from '../constants';
import { closeReasons, type CloseReason } from '../penalties/close-reasons';
import type { ChainPort } from '../ports';

/**
 * Answers NOTIFY_REQUEST_CHAIN: the first of the peer's hashes that stands on our main chain, and up to 10,000 hashes
 * from it on. The list must be non-empty and end with our genesis block; else the reason to close.
 */
export function serveChain(
  request: RequestChain,
  chain: Pick<ChainPort, 'tip' | 'heightOf' | 'hashAt' | 'hashes'>,
): Buffer | CloseReason {
  const last = request.hashes.at(-1);
  if (last === undefined) return closeReasons.chainRequestEmpty;
  if (chain.hashAt(0)?.equals(last) !== true) return closeReasons.chainRequestForeign;
  let startHeight = 0;
  for (const hash of request.hashes) {
    const height = chain.heightOf(hash);
    if (height === undefined) continue;
    startHeight = height;
    break;
  }
  const hashes = chain.hashes(startHeight, MAX_CHAIN_HASHES);
  return responseChain.encode({ startHeight, totalHeight: chain.tip().height + 1, hashes });
}
