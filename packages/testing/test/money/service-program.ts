import { MACHINE_CLOCK, runMain, type WaitClock } from '@wrkz/service-kit';
import { readWalletApiConfig, WalletApi } from '@wrkz/wallet-api';
import { readWalletRpcConfig, WalletRpc } from '@wrkz/wallet-rpc';

/* A wallet service in a separate process. Arguments: `api` or `rpc`, then those of the program. */

/** Waits between requests to a node are this many times shorter than outside of tests. */
const SPEED = 20;

const syncClock: WaitClock = {
  wait: (milliseconds, signal) => MACHINE_CLOCK.wait(milliseconds / SPEED, signal),
};
const overrides = { syncClock, nodeTimeouts: { connectMs: 1_000, silenceMs: 4_000, responseMs: 10_000 } };

runMain(
  () => {
    const [kind, ...args] = process.argv.slice(2);
    return Promise.resolve(
      kind === 'api'
        ? new WalletApi(readWalletApiConfig(args), overrides)
        : new WalletRpc(readWalletRpcConfig(args), { ...overrides, poolMs: 250 }),
    );
  },
  { stopDeadlineMs: 60_000 },
);
