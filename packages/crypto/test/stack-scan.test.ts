import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/* Signing leaves no secret on the stack: a program with the native sources signs on its own stack and searches it. */

const native = dirname(require.resolve('@wrkz/native/package.json'));
const SOURCES = [
  join(__dirname, 'programs/stack_scan.cc'),
  ...['base_table', 'batch', 'batch_single', 'keys', 'random', 'scalar', 'signatures', 'vartime'].map(
    (name) => `src/curve/${name}.cc`,
  ),
  'src/hash/keccak.cc',
  'src/common/cpu.cc',
];
const compiler = process.env['CXX'] ?? 'g++';
const folder = mkdtempSync(join(tmpdir(), 'stack-scan-'));
const program = join(folder, 'stack-scan');
const possible = process.platform === 'linux' && spawnSync(compiler, ['--version']).status === 0;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

(possible ? describe : describe.skip)('the stack after signing', () => {
  beforeAll(() => {
    // The flags of binding.gyp.
    const flags = ['-std=c++20', '-O3', '-fPIC', '-fno-strict-aliasing', '-Isrc', '-pthread'];
    const built = spawnSync(compiler, [...flags, ...SOURCES, '-o', program], { cwd: native, encoding: 'utf8' });
    expect(built).toMatchObject({ status: 0 });
  });

  test('contains no secret key, no nonce and no product of them', () => {
    const { status, stdout } = spawnSync(program, { encoding: 'utf8' });
    expect(new Set(stdout.trim().split('\n'))).toEqual(new Set(['ring signature: nothing is left on the stack']));
    expect(status).toBe(0);
  });

  test('is searched reliably: a secret that is not wiped is found', () => {
    const { status, stdout } = spawnSync(program, ['control'], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stdout).toContain('careless: the secret key is left on the stack');
  });
});
