/**
 * `node healthcheck.mjs <path>`: sends a request to the program of this container, at the address of its configuration
 * (`--dump-config` with the command line of the process). Exit code 0 if the status is 200.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { spawnSync } from 'node:child_process';

const MAIN = /\/apps\/[\w-]+\/dist\/main\.js$/;
/** Timeouts in milliseconds. */
const PATIENCE = { configuration: 12_000, answer: 5_000 };

/** The command line of the program: process 1, or what an init process has started. */
function commandLine() {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  for (const id of ids.sort((a, b) => a - b)) {
    const words = read(`/proc/${id}/cmdline`).split('\0').slice(0, -1);
    const at = words.findIndex((word) => MAIN.test(word));
    // The command lines of an init process and of a wrapper end with the same words.
    if (at > 0 && /(^|\/)node$/.test(words[0]) && !words.includes('--dump-config'))
      return { program: words[0], words: words.slice(at) };
  }
  throw new Error('the program does not run');
}

function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** The address at which it listens. A daemon without a configured port uses the default of its network. */
function addressOf({ program, words }) {
  const { status, stdout, stderr } = spawnSync(program, [...words, '--dump-config'], {
    encoding: 'utf8',
    timeout: PATIENCE.configuration,
    killSignal: 'SIGKILL',
  });
  if (status !== 0) throw new Error(`its configuration cannot be read: ${stderr}`);
  const options = JSON.parse(stdout);
  const host = options['rpc-bind-ip'] ?? options['bind-ip'] ?? options['bind-address'];
  const port =
    options['rpc-bind-port'] ?? options['port'] ?? options['bind-port'] ?? networkPort(words[0], options.network);
  const anywhere = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
  return `http://${anywhere[host] ?? (host.includes(':') ? `[${host}]` : host)}:${port}`;
}

function networkPort(main, network) {
  const { networkOf } = createRequire(main)('@wrkz/core-types');
  return networkOf(network).ports.rpc;
}

try {
  const [path = '/readyz'] = process.argv.slice(2);
  const address = addressOf(commandLine());
  setTimeout(() => process.exit(1), PATIENCE.answer).unref();
  const { status } = await fetch(address + path);
  if (status !== 200) throw new Error(`${path} answers ${status}`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
