import { implementation, IMPLEMENTATIONS, selfTest, setImplementation } from '../src';
import { SELF_TEST_VECTORS } from '../src/self-test/vectors';

const usual = implementation();
afterEach(() => setImplementation('auto'));

test('passes with every implementation of this CPU, and leaves the best one selected', async () => {
  const results = await selfTest();
  expect(results.flatMap(({ failures }) => failures)).toEqual([]);
  const paths = results.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['portable', usual, 'one point at a time']));
  expect(new Set(paths).size).toBe(paths.length);
  for (const { path, checks } of results) expect([path, checks > 10]).toEqual([path, true]);
  expect(implementation()).toBe(usual);
  expect(IMPLEMENTATIONS).toContain(usual);
});

test('reports the differences by implementation', async () => {
  const [first] = SELF_TEST_VECTORS.pow;
  const [ring] = SELF_TEST_VECTORS.rings;
  const results = await selfTest({
    ...SELF_TEST_VECTORS,
    pow: [{ ...first!, hash: '00'.repeat(32) }],
    rings: [{ ...ring!, valid: false }],
    output: { ...SELF_TEST_VECTORS.output, keyImage: '11'.repeat(32) },
  });
  const [portable] = results;
  expect(portable?.failures).toHaveLength(3);
  expect(portable?.failures[0]).toContain(`${first?.algorithm} is ${first?.hash} and not 0000`);
  const lanes = results.filter(({ path }) => path.endsWith('at a time'));
  for (const { failures } of lanes) expect(failures.length).toBeGreaterThan(2);
  expect(lanes[0]?.failures.at(-1)).toContain('a key image is');
});

test('an exception is a failure, too', async () => {
  const results = await selfTest({ ...SELF_TEST_VECTORS, pow: [], tree: { hashes: ['00'], root: '' } });
  expect(results[0]?.failures[0]).toContain('RangeError');
});
