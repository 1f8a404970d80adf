import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cpuFeatures } from '../src';

/* Limbs at the bounds up to which the vectorised field implementations are exact. Real points never reach them by chance. */

const native = dirname(require.resolve('@wrkz/native/package.json'));
const compiler = process.env['CXX'] ?? 'g++';
const folder = mkdtempSync(join(tmpdir(), 'field-lanes-'));
const possible = process.platform === 'linux' && spawnSync(compiler, ['--version']).status === 0;
const { fma, avx512, ifma } = cpuFeatures();

// The flags of binding.gyp.
const FOUR = ['-mavx2', '-mfma'];
const EIGHT = ['-mavx512f', '-mavx512bw', '-mavx512dq', '-mavx512vl', '-mavx512ifma', '-DEIGHT_LANES'];
const sets: [string, string[]][] = [];
if (possible && fma) sets.push(['four', FOUR]);
if (possible && avx512 && ifma) sets.push(['eight', EIGHT]);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('covers every field implementation of this CPU', () => {
  expect(sets.length).toBe(possible ? Number(fma) + Number(avx512 && ifma) : 0);
});

test.each(sets)('the field with %s lanes gives the same results as with one, up to its bounds', (name, flags) => {
  const program = join(folder, name);
  const common = ['-std=c++20', '-O3', '-fno-strict-aliasing', '-Isrc'];
  const source = join(__dirname, 'programs/field_lanes.cc');
  const built = spawnSync(compiler, [...common, ...flags, source, '-o', program], { cwd: native, encoding: 'utf8' });
  expect(built).toMatchObject({ status: 0 });
  const { status, stdout } = spawnSync(program, { encoding: 'utf8' });
  expect({ status, lines: stdout.trim().split('\n') }).toEqual({
    status: 0,
    lines: [expect.stringMatching(/^[1-9]\d{5,} comparisons$/)],
  });
});
