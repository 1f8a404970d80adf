/** What becomes an executable: its name, the compiled main file, and the files that it reads at run time. */
const PAGES = ['packages/pages/assets'];

export const programs = [
  { name: 'wrkz-daemon', main: 'apps/daemon/dist/main.js', assets: ['apps/daemon/data', ...PAGES] },
  { name: 'wrkz-wallet-api', main: 'apps/wallet-api/dist/main.js', assets: PAGES },
  { name: 'wrkz-wallet-rpc', main: 'apps/wallet-rpc/dist/main.js', assets: PAGES },
  { name: 'wrkz-pow-helper', main: 'apps/pow-helper/dist/main.js', assets: PAGES },
  { name: 'wrkz-proposals', main: 'apps/proposals/dist/main.js', assets: ['apps/proposals/assets', ...PAGES] },
  { name: 'wrkz-miner', main: 'packages/miner/dist/main.js', assets: [] },
];
