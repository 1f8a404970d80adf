import '@wrkz/service-kit/early-signals';
import '@wrkz/wallet-server/v8-flags';
import { cpuFeatures } from '@wrkz/crypto';
import { assertPortsFree, OneShotCommand, parseLogLevel, runMain } from '@wrkz/service-kit';
import { readWalletRpcConfig, serviceListenAddresses } from './config';
import { restoreWallet } from '@wrkz/wallet-server';
import { generateContainer, listAddresses } from './one-shot';
import { SERVICE_LOG_SCALE } from './options';
import { WalletRpc } from './wallet-rpc';

/** Writing a large container takes time. */
const STOP_DEADLINE_MS = 120_000;

const readConfig = () => readWalletRpcConfig(process.argv.slice(2));

runMain(
  async ({ signal }) => {
    const config = readConfig();
    // Load the native module, so that the start fails if it is missing.
    cpuFeatures();
    if (config.options['generate-container']) {
      return new OneShotCommand(
        signal,
        async () => `New container ${config.containerFile}: ${await generateContainer(config, signal)}`,
      );
    }
    const { backup, containerFile } = config;
    if (backup !== undefined) {
      return new OneShotCommand(signal, () => restoreWallet(backup, containerFile, 'resumeSends'));
    }
    if (config.options.address) return new OneShotCommand(signal, () => listAddresses(config));
    await assertPortsFree(serviceListenAddresses(config));
    return new WalletRpc(config);
  },
  {
    stopDeadlineMs: STOP_DEADLINE_MS,
    logLevel: () => parseLogLevel(readConfig().options['log-level'], SERVICE_LOG_SCALE),
  },
);
