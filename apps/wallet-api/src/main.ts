import '@wrkz/service-kit/early-signals';
import { cpuFeatures } from '@wrkz/crypto';
import { assertPortsFree, runMain } from '@wrkz/service-kit';
import { walletListenAddresses, readWalletApiConfig } from './config/config';
import { isConsole } from './console';
import { WalletApi } from './wallet-api';

/** A large wallet takes a while to be written. */
const STOP_DEADLINE_MS = 120_000;

runMain(
  async (control) => {
    const config = readWalletApiConfig(process.argv.slice(2));
    // A machine without the native module is told at once.
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
