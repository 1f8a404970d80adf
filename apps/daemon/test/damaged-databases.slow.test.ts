import { type Damages, flipBits, flipLogBits, makeDamages, tear } from './support/damaged-databases';
import { seeded } from './support/kills';

let damages: Damages;
beforeAll(async () => {
  damages = await makeDamages();
});

/** Printed, so that a failure can be run again: WRKZ_SEED=<number>. */
const seed = Number(process.env['WRKZ_SEED'] ?? Date.now() % 1_000_000);

/** Flips in each of two tests: WRKZ_FLIPS=<number>. */
const flips = Number(process.env['WRKZ_FLIPS'] ?? 300);

describe(`damaged databases give the correct result or a named error (WRKZ_SEED=${String(seed)})`, () => {
  it(`${String(flips)} databases with a flipped bit`, () => {
    const { right, reported, wrong } = flipBits(damages, flips, seeded(seed));
    expect(wrong).toEqual([]);
    expect(right + reported).toBe(flips);
    // The other flips are in pages that no query reads.
    expect(reported).toBeGreaterThan(0.8 * flips);
  });

  it(`${String(flips)} databases after a kill, with a flipped bit in the log or the control file`, () => {
    const { right, reported, wrong } = flipLogBits(damages, flips, seeded(seed + 2));
    expect(wrong).toEqual([]);
    expect(right + reported).toBe(flips);
    // The others are in frames that the file has already.
    expect(reported).toBeGreaterThan(0.6 * flips);
  });

  it('300 databases after a kill, with torn writes', () => {
    const { right, reported, wrong } = tear(damages, 300, seeded(seed + 1));
    expect(wrong).toEqual([]);
    expect(right + reported).toBe(300);
    expect(reported).toBeGreaterThan(100);
  });
});
