import fc from 'fast-check';
import { decodeBlock, DecodeError, parseBlock } from '../src';
import { chainA, expectBytes, hex, mainnetBlocks } from './recorded';
import { damaged, MINUTES } from './damaged';
import { referenceId, referenceParent } from './reference-form';

const samples = [...chainA().map(({ block }) => hex(block)), ...mainnetBlocks().map(({ block }) => block)];

test(
  'ids and parent sizes of damaged blocks are those of the encoding by the reference',
  () => {
    let compared = 0;
    fc.assert(
      fc.property(damaged(samples), (bytes) => {
        let parsed;
        try {
          decodeBlock(bytes);
          parsed = parseBlock(bytes);
        } catch (error) {
          if (!(error instanceof DecodeError)) throw error;
          return;
        }
        compared += 1;
        expectBytes(parsed.hash, referenceId(parsed.block));
        if (parsed.block.majorVersion > 1) expect(parsed.parentSize).toBe(referenceParent(parsed.block).length);
      }),
      { numRuns: Infinity, interruptAfterTimeLimit: MINUTES * 60_000 },
    );
    expect(compared).toBeGreaterThan(0);
  },
  (MINUTES + 1) * 60_000,
);
