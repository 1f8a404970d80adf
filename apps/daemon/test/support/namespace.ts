import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { sourceArguments } from '@wrkz/testing/source';

/** A network namespace with only this machine: no packet leaves it. */
const SETUP = [
  'set -e',
  'ip link set lo up',
  'ip link add br0 type bridge',
  ...['192.168.77.2', '192.168.77.1', '192.168.77.9'].map((host) => `ip addr add ${host}/24 dev br0`),
  'ip link set br0 up',
  'ip route add 239.0.0.0/8 dev br0',
].join('\n');

const WAYS = [['-n'], ['-r', '-n']];

/** How a namespace is made here, as the superuser or within a user namespace; undefined where neither is allowed. */
export const namespaceWay: readonly string[] | undefined = WAYS.find(
  (way) => spawnSync('unshare', [...way, 'sh', '-c', SETUP], { stdio: 'ignore' }).status === 0,
);

/** Runs a TypeScript file in a process whose network is such a namespace, to its end. */
export async function runInNamespace(
  file: string,
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  if (namespaceWay === undefined) throw new Error('no network namespace can be made here');
  const command = [process.execPath, ...sourceArguments(file), ...args];
  const child = spawn('unshare', [...namespaceWay, 'sh', '-c', `${SETUP}\nexec "$@"`, 'sh', ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
