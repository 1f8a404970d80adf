import '@wrkz/service-kit/early-signals';
import { cpuFeatures } from '@wrkz/crypto';
import { assertPortsFree, NODE_LOG_SCALE, parseLogLevel, runMain } from '@wrkz/service-kit';
import { ADOPT_COMMANDS, adoptCommand } from './actions/adopt';
import { listenAddresses, readConfig } from './config/config';
import { DAEMON_OPTIONS } from './config/options';
import { AttachedConsole } from './console/attach/attached-console';
import { ATTACH_COMMANDS, readAttach } from './console/attach/command-line';
import { Daemon } from './daemon';
import { readerAddresses, readServeRpc, SERVE_RPC_COMMANDS } from './serve-rpc/config';
import { ServeRpc } from './serve-rpc/serve-rpc';

const argv = process.argv.slice(2);

runMain(
  async (control) => {
    const attached = readAttach(argv, DAEMON_OPTIONS);
    if (attached !== undefined)
      return new AttachedConsole(attached, { input: process.stdin, output: process.stdout, errors: process.stderr });
    const adopting = adoptCommand(argv, (line) => void process.stdout.write(`${line}\n`));
    if (adopting !== undefined) return adopting;
    const reading = readServeRpc(argv, DAEMON_OPTIONS);
    if (reading !== undefined) {
      await assertPortsFree(readerAddresses(reading));
      return new ServeRpc(reading, { control });
    }
    const config = readConfig(argv, [...SERVE_RPC_COMMANDS, ...ATTACH_COMMANDS, ...ADOPT_COMMANDS]);
    // The native module is loaded now, and not in the middle of the first flood; a machine without it is told at once.
    cpuFeatures();
    // The log file is the first thing that is created.
    await assertPortsFree(listenAddresses(config));
    return Daemon.create(config, { control, input: process.stdin });
  },
  { logLevel },
);

function logLevel() {
  const { options } = readServeRpc(argv, DAEMON_OPTIONS) ?? readConfig(argv);
  return parseLogLevel(options['log-level'], NODE_LOG_SCALE);
}
