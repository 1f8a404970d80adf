import { REASONS, type ReasonCode } from '@wrkz/consensus';
import { isAccepted } from '../../src/chain/results';
import { closeReasons } from '../../src/p2p/penalties/close-reasons';
import { blame } from '../../src/p2p/penalties/block-verdicts';

const codes = Object.keys(REASONS) as ReasonCode[];

it('after a block that is stored the next block may follow, after nothing else', () => {
  const accepted = codes.filter((code) => isAccepted({ code }));
  expect(accepted).toEqual([
    'ADDED_TO_MAIN',
    'ADDED_TO_ALTERNATIVE',
    'ADDED_TO_ALTERNATIVE_AND_SWITCHED',
    'ALREADY_EXISTS',
  ]);
});

it('a checkpoint mismatch bans, our clock and our branches cost nothing, every other refusal is held against its bringer', () => {
  expect(blame('CHECKPOINT_BLOCK_HASH_MISMATCH')).toBe(closeReasons.checkpointMismatch);
  expect(blame('TIMESTAMP_TOO_FAR_IN_FUTURE')).toMatchObject({ points: 0 });
  expect(blame('REJECTED_AS_ORPHANED')).toMatchObject({ points: 0 });
  const others = codes.filter(
    (code) =>
      ![
        'ADDED_TO_MAIN',
        'ADDED_TO_ALTERNATIVE',
        'ADDED_TO_ALTERNATIVE_AND_SWITCHED',
        'ALREADY_EXISTS',
        'REJECTED_AS_ORPHANED',
        'TIMESTAMP_TOO_FAR_IN_FUTURE',
        'CHECKPOINT_BLOCK_HASH_MISMATCH',
      ].includes(code),
  );
  expect(new Set(others.map(blame))).toEqual(new Set([closeReasons.invalidBlock]));
});
