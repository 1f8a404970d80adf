import type { Network } from './network';

/**
 * Max depth of a reorganisation in blocks: a branch that forks further below the tip is never followed
 * (docs/protocol/blocks.md#reorganisation).
 */
export const REORGANISATION_DEPTH = 180;
/** Min blocks of a window beyond REORGANISATION_DEPTH. */
export const WINDOW_MARGIN = 60;

/**
 * Stored blocks and rewinds must reach below every reorganisation, and rewinds must stay within the stored blocks.
 * @throws RangeError for a profile that breaks this
 */
export function assertWindows({ name, pruneDepth, rewindLimit }: Pick<Network, 'name' | 'pruneDepth' | 'rewindLimit'>) {
  const min = REORGANISATION_DEPTH + WINDOW_MARGIN;
  for (const [window, blocks] of Object.entries({ pruneDepth, rewindLimit })) {
    if (!(blocks >= min)) throw new RangeError(`${window} of ${name} is ${blocks}, at least ${min} are needed`);
  }
  if (rewindLimit > pruneDepth) {
    throw new RangeError(`${name} allows to rewind ${rewindLimit} blocks and retains ${pruneDepth}`);
  }
}
