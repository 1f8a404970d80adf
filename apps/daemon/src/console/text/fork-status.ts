import type { Network } from '@wrkz/core-types';

const BLOCKS_A_DAY = 1440;
/** Days before a fork from which on it is said to come soon. */
const SOON = 30;

type Forks = Pick<Network, 'upgradeHeights' | 'supportedHeight'>;

/** Whether this software goes with the network's next fork. `height` is the network's, a count. */
export function forkStatus({ upgradeHeights, supportedHeight }: Forks, height: number): string {
  if (missedFork({ upgradeHeights, supportedHeight }, height) !== undefined) return 'Likely Forked';
  const next = nextFork(upgradeHeights, height);
  if (next === undefined || next - height >= SOON * BLOCKS_A_DAY) return 'Up To Date';
  return supportedHeight < next ? 'Update Needed' : 'Forking Soon';
}

/** When the next fork comes. */
export function forkTime({ upgradeHeights }: Forks, height: number): string {
  if (upgradeHeights.includes(height)) return 'Now!';
  const next = nextFork(upgradeHeights, height);
  if (next === undefined) return 'No Fork Planned';
  const days = (next - height) / BLOCKS_A_DAY;
  return days < 1 ? `${(days * 24).toFixed(2)} Hours` : `${days.toFixed(2)} Days`;
}

/** The fork that the network has made and this software does not know. */
export function missedFork({ upgradeHeights, supportedHeight }: Forks, height: number): number | undefined {
  return upgradeHeights.find((fork) => fork > supportedHeight && fork <= height);
}

function nextFork(upgradeHeights: readonly number[], height: number): number | undefined {
  return upgradeHeights.find((fork) => fork > height);
}
