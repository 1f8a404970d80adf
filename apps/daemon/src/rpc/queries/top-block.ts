import type { BlockFacts } from '@wrkz/consensus';

/** The `topBlock` member that tells a wallet that it holds everything. */
export function topBlockJson({ hash, height }: BlockFacts): string {
  return `"topBlock":{"hash":"${hash.toString('hex')}","height":${height}}`;
}
