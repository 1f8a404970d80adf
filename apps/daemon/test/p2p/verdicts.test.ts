import { REASONS, type ReasonCode } from '@wrkz/consensus';
import { closeReasons } from '../../src/p2p/penalties/close-reasons';
import { blame, isAccepted } from '../../src/p2p/penalties/block-verdicts';

const codes = Object.keys(REASONS) as ReasonCode[];

it('after A1 to A4 the next block may follow, after nothing else', () => {
  const accepted = codes.filter((code) => isAccepted({ code, message: '' }));
  expect(accepted).toEqual(['A1', 'A2', 'A3', 'A4']);
});

it('a checkpoint mismatch bans, our clock and our branches cost nothing, every other refusal is held against its bringer', () => {
  expect(blame('B9')).toBe(closeReasons.checkpointMismatch);
  expect(blame('B4')).toMatchObject({ points: 0 });
  expect(blame('A5')).toMatchObject({ points: 0 });
  const others = codes.filter((code) => !['A1', 'A2', 'A3', 'A4', 'A5', 'B4', 'B9'].includes(code));
  expect(new Set(others.map(blame))).toEqual(new Set([closeReasons.invalidBlock]));
});
