import { type Damages, flipBits, flipLogBits, makeDamages, tear } from './support/damaged-databases';
import { seeded } from './support/kills';

let damages: Damages;
beforeAll(async () => {
  damages = await makeDamages();
});

describe('a damaged database gives the correct result or a named error', () => {
  it('3 databases with a flipped bit', () => {
    expect(flipBits(damages, 3, seeded(1)).wrong).toEqual([]);
  });

  it('10 databases after a kill, with a flipped bit in the log or the control file', () => {
    expect(flipLogBits(damages, 10, seeded(3)).wrong).toEqual([]);
  });

  it('20 databases after a kill, with torn writes', () => {
    expect(tear(damages, 20, seeded(2)).wrong).toEqual([]);
  });
});
