/** The six single executables: `name`, and the `folder` of the package whose `dist/main.js` it runs. */
export const programs = [
  { name: 'wrkz-daemon', folder: 'apps/daemon' },
  { name: 'wrkz-wallet-api', folder: 'apps/wallet-api' },
  { name: 'wrkz-wallet-rpc', folder: 'apps/wallet-rpc' },
  { name: 'wrkz-pow-helper', folder: 'apps/pow-helper' },
  { name: 'wrkz-proposals', folder: 'apps/proposals' },
  { name: 'wrkz-miner', folder: 'packages/miner' },
];

/** Which Node.js is inside. */
export const NODE_MAJOR = 24;

/** Begins the names of places inside an executable; `packages/service-kit/src/assets.ts` knows it too. */
export const EMBEDDED = 'embedded:';
