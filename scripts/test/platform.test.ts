import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/* The messages on systems where the suite cannot be built or a test cannot run, instead of an error of the compiler or shell. */

const TOP = join(__dirname, '..', '..');

function run(script: string, options: { nodeArgs?: string[]; scriptArgs?: string[]; path?: string } = {}) {
  const environment = { ...process.env, PATH: options.path ?? process.env['PATH'] };
  const args = [...(options.nodeArgs ?? []), join(TOP, 'scripts', script), ...(options.scriptArgs ?? [])];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: TOP, encoding: 'utf8', env: environment });
  return { status, lines: stderr.trim().split('\n') };
}

describe('on Windows', () => {
  const pretend = `data:text/javascript,Object.defineProperty(process, 'platform', { value: 'win32' })`;

  // With these options the scripts would end soon on a supported system.
  const calls: [string, string[]][] = [
    ['bootstrap.mjs', []],
    ['start.mjs', ['apps/daemon/dist/main.js', '--help']],
    ['test.mjs', ['--version']],
  ];

  test.each(calls)('%s reports that it is not supported', (script, scriptArgs) => {
    expect(run(script, { nodeArgs: ['--import', pretend], scriptArgs })).toEqual({
      status: 1,
      lines: [
        'Windows is not supported: the native code needs gcc or clang and a POSIX system.',
        'Use Linux in WSL 2 or the images of docker/ instead.',
      ],
    });
  });
});

test('the tests for 64-bit ARM name the missing packages', () => {
  expect(run('test-arm64.mjs', { path: '/nowhere' })).toEqual({
    status: 1,
    lines: [
      'The tests for 64-bit ARM need aarch64-linux-gnu-g++ and qemu-aarch64; ' +
        'on Debian or Ubuntu: apt-get install g++-aarch64-linux-gnu qemu-user',
    ],
  });
});
