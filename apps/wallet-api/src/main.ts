import '@wrkz/service-kit/early-signals';
import '@wrkz/wallet-server/v8-flags';
import { cpuFeatures } from '@wrkz/crypto';
import { assertPortsFree, parseLogLevel, runMain } from '@wrkz/service-kit';
import { readWalletApiConfig, walletListenAddresses } from './config';
import { isConsole } from './console';
import { WALLET_LOG_SCALE } from './options';
import { restoreCommand } from './restore';
import { WalletApi } from './wallet-api';

/** Saving a large wallet takes time. */
const STOP_DEADLINE_MS = 120_000;

const argv = process.argv.slice(2);

runMain(
  async (control) => {
    const write = (line: string): void => void process.stdout.write(`${line}\n`);
    const restore = restoreCommand(argv, write);
    if (restore !== undefined) return restore;
    const config = readWalletApiConfig(argv);
    // Load the native module, so that the start fails if it is missing.
    cpuFeatures();
    await assertPortsFree(walletListenAddresses(config));
    return new WalletApi(config, {
      ...(isConsole(0) ? { input: process.stdin } : {}),
      write,
      requestStop: () => control.requestStop(),
    });
  },
  {
    stopDeadlineMs: STOP_DEADLINE_MS,
    logLevel: () => parseLogLevel(readWalletApiConfig(argv).options['log-level'], WALLET_LOG_SCALE),
  },
);
