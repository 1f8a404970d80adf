import { binding } from '../src/binding';

/* The functions of the addon, called without the typed wrapper: they throw or return for any arguments, and never crash. */

type Entry = (...args: unknown[]) => unknown;

const addon = binding<Record<string, Entry>>();
/** Functions that have no required arguments, such as queries of the machine. */
const WITHOUT_ARGUMENTS = ['cpuFeatures', 'curveLanes', 'hardwareThreads', 'implementation', 'timeStamp'];
const entries = Object.entries(addon).filter(([name]) => !WITHOUT_ARGUMENTS.includes(name));

const noop = (): void => undefined;
const hostile: readonly unknown[] = [
  undefined,
  null,
  true,
  'text',
  NaN,
  -1,
  0.5,
  2 ** 53,
  -1n,
  1n << 64n,
  {},
  [],
  noop,
  Buffer.alloc(0),
  Buffer.alloc(31),
  Buffer.alloc(33),
  new Uint16Array(32),
  new Uint32Array([0xffffffff, 0xffffffff]),
  new DataView(new ArrayBuffer(32)),
];

afterAll(() => {
  addon['setThreads']?.(addon['hardwareThreads']?.());
  addon['limitCurveLanes']?.(8);
  addon['forceCurveLanes']?.(0);
});

/** The error of a call, or undefined if it accepts the arguments. Promises are awaited. */
async function errorOf(entry: Entry, args: readonly unknown[]): Promise<unknown> {
  try {
    await entry(...args);
    return undefined;
  } catch (error) {
    return error;
  }
}

test('the table has every native entry', () => {
  expect(entries.length).toBeGreaterThan(30);
  expect(Object.keys(addon)).toEqual(expect.arrayContaining(WITHOUT_ARGUMENTS));
});

test.each(entries)('%s throws when called without arguments', async (_name, entry) => {
  expect(await errorOf(entry, [])).toMatchObject({ name: expect.stringMatching(/^(TypeError|RangeError)$/) });
});

test.each(entries)('%s throws or returns for every hostile value of every argument', async (_name, entry) => {
  const fill = [Buffer.alloc(32), Buffer.alloc(64), 1, 1n, new Uint32Array(1)];
  for (const value of hostile) {
    for (let place = 0; place < 9; place++) {
      for (const other of fill) {
        const args = Array.from({ length: 9 }, (_, i) => (i === place ? value : other));
        const error = await errorOf(entry, args);
        if (error !== undefined) expect((error as Error).name).toMatch(/^(TypeError|RangeError)$/);
      }
    }
  }
});

test('lists whose counts do not match their bytes are rejected without reading them', () => {
  const keys = Buffer.alloc(64);
  const counts = (...values: number[]) => new Uint32Array(values);
  const calls: readonly (readonly [string, readonly unknown[]])[] = [
    ['checkRings', [Buffer.alloc(32), Buffer.alloc(32), counts(3), keys, Buffer.alloc(128)]],
    ['checkRings', [Buffer.alloc(64), Buffer.alloc(64), counts(1, 0xffffffff), keys, Buffer.alloc(128)]],
    ['scanOutputs', [Buffer.alloc(32), Buffer.alloc(32), counts(3), keys, Buffer.alloc(32)]],
    ['powHashMany', [Buffer.of(3), Buffer.from('41000000', 'hex'), keys]],
    ['treeHashFromBranch', [Buffer.alloc(257 * 32), Buffer.alloc(32), Buffer.alloc(32), Buffer.alloc(32)]],
    ['signRing', [Buffer.alloc(32), Buffer.alloc(32), keys, Buffer.alloc(32), 2, Buffer.alloc(128)]],
    ['checkRing', [Buffer.alloc(32), Buffer.alloc(32), keys, Buffer.alloc(64)]],
    ['startSearch', [3, keys, 57, 8, 1n, 0n, 1n, 1, noop]],
    ['startSearch', [4, Buffer.alloc(15), 0, 8, 1n, 0n, 1n, 1, noop]],
  ];
  // Compared by name, because the errors belong to another realm than the test.
  for (const [name, args] of calls) {
    expect(() => addon[name]?.(...args)).toThrow(expect.objectContaining({ name: 'RangeError' }));
  }
});
