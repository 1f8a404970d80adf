import { join } from 'node:path';
import { top } from '../scripts/lib/workspace.mjs';

/**
 * What is shipped: `name` of the executable and of its Debian package, `folder` of the package whose `dist/main.js` it
 * runs, `service` as in the names of its files below /etc and /var/lib (a program without one has no unit), and the
 * `description` of the Debian package.
 */
export const programs = [
  {
    name: 'wrkz-daemon',
    folder: 'apps/daemon',
    service: 'daemon',
    description: 'WrkzCoin node: verifies, stores and serves the chain',
  },
  {
    name: 'wrkz-wallet-api',
    folder: 'apps/wallet-api',
    service: 'wallet-api',
    description: 'WrkzCoin wallet over HTTP',
  },
  {
    name: 'wrkz-wallet-rpc',
    folder: 'apps/wallet-rpc',
    service: 'wallet-rpc',
    description: 'WrkzCoin wallet over JSON-RPC',
  },
  {
    name: 'wrkz-pow-helper',
    folder: 'apps/pow-helper',
    service: 'pow-helper',
    description: 'computes the proof of work of WrkzCoin transactions',
  },
  {
    name: 'wrkz-proposals',
    folder: 'apps/proposals',
    service: 'proposals',
    description: 'lists the funding proposals of WrkzCoin',
  },
  { name: 'wrkz-miner', folder: 'packages/miner', description: 'mines WrkzCoin with a node or over stratum' },
];

/** The programs with a systemd unit. */
export const services = programs.filter(({ service }) => service);

/** The folder of the built executables. */
export const release = join(top, 'release');
