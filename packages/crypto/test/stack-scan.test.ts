import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/*
 * Functions of secret keys leave no secret on the stack: a program with the object files of the native module runs them on its own
 * stack and searches it. The sources alone do not suffice: what the compiler leaves depends on its flags.
 */

const native = dirname(require.resolve('@wrkz/native/package.json'));
const objects = join(native, 'build/Release/obj.target');
const curve = ['base_table', 'batch', 'batch_single', 'keys', 'random', 'scalar', 'signatures', 'vartime'];
const PARTS = [
  ...curve.map((name) => `curve/src/curve/${name}.o`),
  ...(process.arch === 'x64' ? ['curve_avx2/src/curve/batch_avx2.o', 'curve_ifma/src/curve/batch_ifma.o'] : []),
  'wrkz_native/src/hash/keccak.o',
  'wrkz_native/src/common/cpu.o',
].map((part) => join(objects, part));
const compiler = process.env['CXX'] ?? 'g++';
const folder = mkdtempSync(join(tmpdir(), 'stack-scan-'));
const program = join(folder, 'stack-scan');
const possible = process.platform === 'linux' && existsSync(objects) && spawnSync(compiler, ['--version']).status === 0;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

(possible ? describe : describe.skip)('the stack after the use of a secret key', () => {
  beforeAll(() => {
    const args = ['-std=c++20', '-O3', '-Isrc', '-pthread', join(__dirname, 'programs/stack_scan.cc'), ...PARTS];
    const built = spawnSync(compiler, [...args, '-o', program], { cwd: native, encoding: 'utf8' });
    expect(built).toMatchObject({ status: 0 });
  });

  test('contains no secret key, no nonce and no product of them', () => {
    const { status, stdout } = spawnSync(program, { encoding: 'utf8' });
    const names = ['ring signature', 'key image', 'public key', 'key derivation'];
    expect(new Set(stdout.trim().split('\n'))).toEqual(
      new Set(names.map((name) => `${name}: nothing is left on the stack`)),
    );
    expect(status).toBe(0);
  });

  test('is searched reliably: a secret that is not wiped is found', () => {
    const { status, stdout } = spawnSync(program, ['control'], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stdout).toContain('careless: the secret key is left on the stack');
  });
});
