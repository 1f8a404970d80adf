import { type Damages, flipBits, makeDamages, tear } from './support/damaged-databases';
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

  it('20 that a kill has left and that were torn', () => {
    expect(tear(damages, 20, seeded(2)).wrong).toEqual([]);
  });
});
