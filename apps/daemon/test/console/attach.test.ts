import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { commandFor } from '../support/process';
import { temporaryDirectory } from '../support/temporary';

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program with an input, to its end. */
async function attach(args: readonly string[], input: string, cwd: string): Promise<Ended> {
  const child = spawn(process.execPath, [...commandFor('src/main.ts'), ...args], { cwd });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined).end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** A daemon's socket with scripted responses. */
async function scripted(
  path: string,
  respond: (command: string, token: string | undefined) => [number, string],
): Promise<{ sent: string[]; close: () => void }> {
  const sent: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const { command } = JSON.parse(text) as { command: string };
      sent.push(command);
      const [status, body] = respond(command, request.headers['x-api-key'] as string | undefined);
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
    });
  }).listen(path);
  await once(server, 'listening');
  return { sent, close: () => server.close() };
}

const ok = (output: string): [number, string] => [200, JSON.stringify({ output, status: 'OK' })];
const failed = (status: number, error: string): [number, string] => [
  status,
  JSON.stringify({ error, status: 'Failed' }),
];

const LEAVING = 'exit or quit leaves this console. stop shuts the daemon down.\n';

test('a piped script prints only the responses, skips blank lines, and ends when stop ends the daemon', async () => {
  const cwd = temporaryDirectory();
  const path = join(cwd, 's');
  const daemon = await scripted(path, (command) => {
    if (command === 'height') return ok('Height: 5 / 5 (100.00%)');
    if (command === 'early') return failed(503, 'The daemon console is not available yet, please retry in a moment');
    return ok(`${command}!\n`);
  });
  const ended = await attach(['attach', path], 'height\n\n   \nearly\r\nstop\nstatus\n', cwd);
  daemon.close();
  expect(daemon.sent).toEqual(['help', 'height', 'early', 'stop']);
  expect(ended).toEqual({
    code: 0,
    stderr: '',
    stdout:
      `Attached to socket ${path}\nhelp!\n${LEAVING}Height: 5 / 5 (100.00%)\n` +
      'Command failed: HTTP 503: The daemon console is not available yet, please retry in a moment\n' +
      'stop!\nThe daemon is shutting down; leaving the console.\n',
  });
});

test.each(['exit', 'quit', '  quit now', ''])('%j closes the console and does not stop the daemon', async (word) => {
  const cwd = temporaryDirectory();
  const path = join(cwd, 's');
  const daemon = await scripted(path, () => ok('help\n'));
  const ended = await attach(['--attach', path], word === '' ? '' : `${word}\nstatus\n`, cwd);
  daemon.close();
  expect(daemon.sent).toEqual(['help']);
  expect(ended).toMatchObject({ code: 0, stdout: `Attached to socket ${path}\nhelp\n${LEAVING}` });
});

test('the client sends its token, and with a wrong one reports why it could not attach', async () => {
  const cwd = temporaryDirectory();
  const path = join(cwd, 's');
  const respond = (_command: string, token: string | undefined) =>
    token === 'secret' ? ok('help\n') : failed(401, 'Unauthorized RPC request');
  const daemon = await scripted(path, respond);
  const refused = await attach(['attach', path], 'status\n', cwd);
  const taken = await attach(['attach', path, '--rpc-access-token', 'secret'], '', cwd);
  daemon.close();
  expect(refused).toEqual({
    code: 1,
    stdout: '',
    stderr: `Could not attach to socket ${path}: HTTP 401: Unauthorized RPC request\n`,
  });
  expect(taken.code).toBe(0);
});

test.each([
  [404, '', 'HTTP 404: this daemon does not serve console commands; it needs upgrading'],
  [200, 'no JSON', 'invalid response: it has no output string'],
  [200, '{"output":5}', 'invalid response: it has no output string'],
  [500, 'a page', 'HTTP 500: a page'],
])('a response %d %j gives: %s', async (status, body, text) => {
  const cwd = temporaryDirectory();
  const path = join(cwd, 's');
  const daemon = await scripted(path, () => [status, body]);
  const ended = await attach(['attach', path], '', cwd);
  daemon.close();
  expect(ended).toEqual({ code: 1, stdout: '', stderr: `Could not attach to socket ${path}: ${text}\n` });
});

test('exits with 1 if no daemon is running', async () => {
  const cwd = temporaryDirectory();
  const ended = await attach(['attach', join(cwd, 'none')], '', cwd);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toBe(`Could not attach to socket ${join(cwd, 'none')}: no such file or directory\n`);
});

test('a daemon without a terminal reads commands from stdin, and continues after its end', async () => {
  const cwd = temporaryDirectory();
  const socket = join(cwd, 's');
  const ports = ['--rpc-bind-port', '0', '--p2p-bind-ip', '127.0.0.1', '--p2p-bind-port', '0'];
  const noPeer = ['--add-exclusive-node', '127.0.0.1:1', '--network', 'devnet', '--data-dir', cwd];
  const args = [...commandFor('src/main.ts'), ...ports, ...noPeer, '--rpc-ipc-path', socket];
  const child = spawn(process.execPath, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  let stdout = '';
  const printed = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(stdout)) await once(child.stdout, 'data');
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  const closed = once(child, 'close');
  child.stdin.write('height\nwhat\n');
  await printed(/Height: 1 \/ 1 \(100\.00%\)\nUnknown command: what\n/);
  child.stdin.end();
  await printed(/continues without a console\n/);
  // Commands run one at a time: each of several concurrent clients gets its complete output.
  const results = await Promise.all(
    Array.from({ length: 3 }, () => attach(['attach', socket], 'print_bc 0\nquit\n', cwd).then(({ code }) => code)),
  );
  expect(results).toEqual([0, 0, 0]);
  const hanging = connect({ path: socket });
  await once(hanging, 'connect');
  const stopped = await attach(['attach', socket], 'stop\n', cwd);
  expect(stopped.stdout).toMatch(/EXITING[^]*The daemon is shutting down; leaving the console\.\n$/);
  hanging.destroy();
  expect(await closed).toEqual([0, null]);
  expect(stdout.match(/continues without a console/g)).toHaveLength(1);
});
