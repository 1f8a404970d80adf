import '@wrkz/service-kit/early-signals';
import { cpuFeatures } from '@wrkz/crypto';
import { assertPortsFree, runMain } from '@wrkz/service-kit';
import { readWalletApiConfig, walletListenAddresses } from './config';
import { isConsole } from './console';
import { WalletApi } from './wallet-api';

/** Saving a large wallet takes time. */
const STOP_DEADLINE_MS = 120_000;

runMain(
  async (control) => {
    const config = readWalletApiConfig(process.argv.slice(2));
    // Loads the native module, so that a machine without it fails at start.
    cpuFeatures();
    await assertPortsFree(walletListenAddresses(config));
    return WalletApi.create(config, {
      ...(isConsole(0) ? { input: process.stdin } : {}),
      write: (line) => void process.stdout.write(`${line}\n`),
      requestStop: () => control.requestStop(),
    });
  },
  { stopDeadlineMs: STOP_DEADLINE_MS },
);
