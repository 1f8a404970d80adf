import '@wrkz/service-kit/early-signals';
import { cpuFeatures } from '@wrkz/crypto';
import { assertPortsFree, EarlyExit, runMain } from '@wrkz/service-kit';
import { readWalletRpcConfig, serviceListenAddresses } from './config';
import { addressLines, generateContainer } from './one-shot';
import { WalletRpc } from './wallet-rpc';

/** A large container takes a while to be written. */
const STOP_DEADLINE_MS = 120_000;

runMain(
  async () => {
    const config = readWalletRpcConfig(process.argv.slice(2));
    // A machine without the native module is told at once.
    cpuFeatures();
    if (config.options['generate-container']) {
      throw new EarlyExit(`New container ${config.containerFile}: ${await generateContainer(config)}`, 0);
    }
    if (config.options.address) throw new EarlyExit((await addressLines(config)).join('\n'), 0);
    await assertPortsFree(serviceListenAddresses(config));
    return WalletRpc.create(config);
  },
  { stopDeadlineMs: STOP_DEADLINE_MS },
);
