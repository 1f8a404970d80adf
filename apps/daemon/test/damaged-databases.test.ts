import { type Damages, flipBits, flipLogBits, makeDamages, tear } from './support/damaged-databases';
import { seeded } from './support/kills';

jest.setTimeout(300_000);

let damages: Damages;
beforeAll(async () => {
  damages = await makeDamages();
});

describe('a damaged database gives the right answer or an error that is named', () => {
  it('3 with a flipped bit', () => {
    expect(flipBits(damages, 3, seeded(1)).wrong).toEqual([]);
  });

  it('10 that a kill has left, with a flipped bit in the log or the control file', () => {
    expect(flipLogBits(damages, 10, seeded(3)).wrong).toEqual([]);
  });

  it('20 that a kill has left and that were torn', () => {
    expect(tear(damages, 20, seeded(2)).wrong).toEqual([]);
  });
});
