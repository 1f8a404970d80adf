import { ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sourceArguments } from '@wrkz/testing/source';

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Runs the test program; `onStarted` is called when it has printed that it is started. */
async function runProgram(
  behaviour: string,
  onStarted: (child: ChildProcess) => void = () => undefined,
): Promise<Ended> {
  const args = [...sourceArguments(join(__dirname, 'programs/service.ts')), behaviour];
  // A new session has no controlling terminal.
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let out = '';
  let err = '';
  let reported = false;
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
    if (!reported && out.includes('started')) {
      reported = true;
      onStarted(child);
    }
  });
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

test.each(['SIGINT', 'SIGTERM'] as const)('%s leads to an orderly stop with exit code 0', async (signal) => {
  const { code, out } = await runProgram('runs', (child) => child.kill(signal));
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`${signal} received[^]*stopping, aborted true[^]*stopped`));
});

test('an action that a signal interrupts ends with its own exit code', async () => {
  const { code } = await runProgram('cut-short', (child) => child.kill('SIGTERM'));
  expect(code).toBe(4);
});

test('a command prints its result and ends with exit code 0', async () => {
  expect(await runProgram('command')).toEqual({ code: 0, out: 'the result\n', err: '' });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('a command that %s interrupts undoes its work and exits with %i', async (signal, code) => {
  const ended = await runProgram('long-command', (child) => child.kill(signal));
  expect(ended).toEqual({ code, out: 'started\nundone\n', err: '' });
});

test('SIGHUP without a terminal reloads the log and every task; a task that fails does not stop the others', async () => {
  const { code, out } = await runProgram('reloads', (child) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('reloaded the good file')) child.kill('SIGTERM');
    });
    child.kill('SIGHUP');
  });
  expect(code).toBe(0);
  const lines = [
    'SIGHUP received, reloading',
    'reloaded the log file',
    'reloaded the log level',
    'cannot reload the broken file: line 3 is invalid',
    'reloaded the good file',
    'SIGTERM received, stopping',
  ];
  expect(out).toMatch(new RegExp(lines.join('[^]*')));
});

test('SIGHUP stops a program without reload tasks', async () => {
  const { code, out } = await runProgram('runs', (child) => child.kill('SIGHUP'));
  expect([code, out.includes('SIGHUP received, stopping')]).toEqual([0, true]);
});

test('SIGHUP before the service exists is delayed: the service reloads', async () => {
  const { code, out } = await runProgram('slow-reloads', (child) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('reloaded the good file')) child.kill('SIGTERM');
    });
    child.kill('SIGHUP');
  });
  expect(code).toBe(0);
  expect(out).toMatch(/SIGHUP received, reloading[^]*reloaded the good file[^]*SIGTERM received, stopping/);
});

test('SIGHUP before the service exists stops a service without reload tasks', async () => {
  const { code, out } = await runProgram('slow-runs', (child) => child.kill('SIGHUP'));
  expect([code, out.includes('SIGHUP received, stopping')]).toEqual([0, true]);
});

test('SIGHUP during the stop of a service with reload tasks is ignored', async () => {
  const { code, out } = await runProgram('hangup-reloads', (child) => {
    whenStopping(child, () => child.kill('SIGHUP'));
    child.kill('SIGTERM');
  });
  expect([code, out.includes('stopped')]).toEqual([0, true]);
});

// `script` runs the program with a terminal.
(existsSync('/usr/bin/script') ? test : test.skip)('SIGHUP with a terminal stops the program in order', async () => {
  const words = [process.execPath, ...sourceArguments(join(__dirname, 'programs/service.ts')), 'reloads'];
  const command = words.map((word) => `'${word}'`).join(' ');
  const child = spawn('/usr/bin/script', ['-qec', `echo pid $$; exec ${command}`, '/dev/null'], { stdio: 'pipe' });
  let out = '';
  let isSignalled = false;
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
    const pid = /pid (\d+)/.exec(out)?.[1];
    if (isSignalled || pid === undefined || !out.includes('started')) return;
    isSignalled = true;
    process.kill(Number(pid), 'SIGHUP');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  expect(code).toBe(0);
  expect(out).toMatch(/SIGHUP received, stopping[^]*stopped/);
});

test('a stop that hangs ends at the deadline with exit code 1', async () => {
  const { code, out } = await runProgram('hangs', (child) => child.kill('SIGTERM'));
  expect([code, out.includes('took too long')]).toEqual([1, true]);
});

test('a second signal ends the process at once', async () => {
  const { code } = await runProgram('stuck', (child) => {
    whenStopping(child, () => {
      const impatience = setInterval(() => child.kill('SIGINT'), 100);
      child.once('exit', () => clearInterval(impatience));
    });
    child.kill('SIGINT');
  });
  expect(code).toBe(130);
});

test('another signal ends the process at once, however early', async () => {
  const { code } = await runProgram('stuck', (child) => {
    whenStopping(child, () => child.kill('SIGTERM'));
    child.kill('SIGINT');
  });
  expect(code).toBe(143);
});

test('one Ctrl-C that arrives twice, from the terminal and through npm, leads to an orderly stop', async () => {
  const { code, out } = await runProgram('signalled-twice', (child) => {
    whenStopping(child, () => child.kill('SIGINT'));
    child.kill('SIGINT');
  });
  expect([code, out.includes('stopped')]).toEqual([0, true]);
});

function whenStopping(child: ChildProcess, then: () => void): void {
  let stopping = false;
  child.stdout?.on('data', (chunk: Buffer) => {
    if (stopping || !chunk.toString().includes('stopping, aborted')) return;
    stopping = true;
    then();
  });
}

test.each([
  ['usage', 1, 'unknown option --x (see --help)'],
  ['start-fails', 1, 'cannot start: the port is taken'],
  ['uncaught', 1, 'uncaught error: thrown out of the blue'],
  ['rejection', 1, 'unhandled rejection: rejected out of the blue'],
  ['asks', 7, 'stopped'],
  ['one-shot', 3, 'stopped'],
])('%s: exit code %d, and logged once', async (behaviour, expected, text) => {
  const { code, out, err } = await runProgram(behaviour);
  expect(code).toBe(expected);
  const lines = (out + err).split('\n').filter((line) => line.includes(text) && !line.includes('\\n'));
  expect(lines).toHaveLength(1);
});

test.each([
  ['long-usage', /^unexpected argument x{480} \[\.\.\.\] x{487} \(see --help\)\nand another line\n$/],
  ['long-failure', /^cannot start: cannot open x{488} \[\.\.\.\] x{481}: it is a directory\n$/],
])('%s: a value of 100 kB is shortened in the error', async (behaviour, text) => {
  const { code, err } = await runProgram(behaviour);
  expect(code).toBe(1);
  expect(err).toMatch(text);
});

test('the requested output of a program is not shortened', async () => {
  expect((await runProgram('long-text')).out).toHaveLength(100_001);
});

test('a failed stop is logged, and the exit code is 1', async () => {
  const { code, out } = await runProgram('stop-fails', (child) => child.kill('SIGTERM'));
  expect([code, out.includes('the stop failed: could not close')]).toEqual([1, true]);
});
