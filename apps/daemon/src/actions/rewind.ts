import type { ChainService } from '../chain/service';
import type { DaemonConfig } from '../config/config';

/** Refused before anything is changed. */
export class RewindRefused extends Error {
  override readonly name = 'RewindRefused';
}

/**
 * `--rewind-to-height N`: takes off the blocks from index N on, so that N blocks are left. At or above the present count it
 * does nothing.
 * @throws RewindRefused further down than the network allows
 */
export async function rewindAtStart(
  { options, network }: Pick<DaemonConfig, 'options' | 'network'>,
  chain: Pick<ChainService, 'tip' | 'rewindTo'>,
  notice: (line: string) => void,
): Promise<void> {
  const wanted = options['rewind-to-height'];
  if (wanted === undefined) return;
  const count = chain.tip().height + 1;
  assertRewind(wanted, count, network.rewindLimit);
  if (wanted >= count) return notice(`Nothing to rewind: the chain has ${String(count)} blocks`);
  await chain.rewindTo(wanted - 1);
  notice(`Rewound ${String(count - wanted)} blocks; the chain has ${String(wanted)} now`);
}

/** @throws RewindRefused further down than the network allows */
export function assertRewind(wanted: number, count: number, limit: number): void {
  if (wanted < count - limit) throw new RewindRefused(refusalText(wanted, count, limit));
}

function refusalText(wanted: number, count: number, limit: number): string {
  return (
    `Cannot rewind to ${String(wanted)}: the chain is ${String(count)} blocks tall and a rewind may reach at most ` +
    `${String(limit)} blocks below its top, so you can only rewind to ${String(count - limit)}. Nothing was changed. ` +
    'Use --resync to rebuild the chain from the network instead.'
  );
}
