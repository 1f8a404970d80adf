import '@wrkz/service-kit/early-signals';
import { cpuFeatures } from '@wrkz/crypto';
import { assertPortsFree, NODE_LOG_SCALE, parseLogLevel, runMain } from '@wrkz/service-kit';
import { DAEMON_COMMANDS, daemonCommandService } from './actions/commands';
import { listenAddresses, readConfig } from './config/config';
import { DAEMON_OPTIONS } from './config/options';
import { AttachedConsole } from './console/attach/attached-console';
import { ATTACH_COMMANDS, readAttach } from './console/attach/client';
import { Daemon } from './daemon';
import { readerAddresses, readServeRpc, SERVE_RPC_COMMANDS } from './serve-rpc/config';
import { ServeRpc } from './serve-rpc/serve-rpc';

const argv = process.argv.slice(2);
/** A commit on a slow disk takes long. Below the 120 s after which systemd and Docker kill the process. */
const STOP_DEADLINE_MS = 100_000;

runMain(
  async (control) => {
    const target = readAttach(argv, DAEMON_OPTIONS);
    if (target !== undefined)
      return new AttachedConsole(target, { input: process.stdin, output: process.stdout, errors: process.stderr });
    const oneShot = daemonCommandService(argv, (line) => void process.stdout.write(`${line}\n`));
    if (oneShot !== undefined) return oneShot;
    const readerConfig = readServeRpc(argv, DAEMON_OPTIONS);
    if (readerConfig !== undefined) {
      await assertPortsFree(readerAddresses(readerConfig));
      return new ServeRpc(readerConfig, { control });
    }
    const config = readConfig(argv, [...SERVE_RPC_COMMANDS, ...ATTACH_COMMANDS, ...DAEMON_COMMANDS]);
    // Loads the native module now, so that a missing one fails at the start and not under load.
    cpuFeatures();
    // Check the ports before anything is created.
    await assertPortsFree(listenAddresses(config));
    return Daemon.create(config, { control, input: process.stdin });
  },
  { logLevel, stopDeadlineMs: STOP_DEADLINE_MS },
);

function logLevel() {
  const { options } = readServeRpc(argv, DAEMON_OPTIONS) ?? readConfig(argv);
  return parseLogLevel(options['log-level'], NODE_LOG_SCALE);
}
