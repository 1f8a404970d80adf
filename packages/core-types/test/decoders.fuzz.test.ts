import fc from 'fast-check';
import { readJsonLines } from '@wrkz/testing/fixtures';
import {
  decodeBlock,
  DecodeError,
  decodeRawBlock,
  decodeTransaction,
  encodeBlock,
  encodeRawBlock,
  encodeTransaction,
  parseExtra,
  parseExtraWallet,
} from '../src';
import { damaged, MINUTES } from './damaged';
import { chainA, expectBytes, hex } from './recorded';

const lines = chainA();
const blocks = lines.map(({ block }) => hex(block));
const transactions = lines.flatMap((line) => line.transactions.map(hex));
const records = lines.map((line) =>
  encodeRawBlock({ block: hex(line.block), transactions: line.transactions.map(hex) }),
);
const extras = readJsonLines<{ extra: string }>('vectors/parse_extra.jsonl').map(({ extra }) => hex(extra));

function readExtra(bytes: Buffer): Buffer {
  parseExtra(bytes);
  parseExtraWallet(bytes);
  return bytes;
}

test.each<[string, readonly Buffer[], (bytes: Buffer) => Buffer]>([
  ['blocks', blocks, (bytes) => encodeBlock(decodeBlock(bytes))],
  ['transactions', transactions, (bytes) => encodeTransaction(decodeTransaction(bytes))],
  ['dump records', records, (bytes) => encodeRawBlock(decodeRawBlock(bytes))],
  ['extra', extras, readExtra],
])(
  'damaged %s are rejected or unchanged after decoding and encoding',
  (_, samples, roundTrip) => {
    fc.assert(
      fc.property(damaged(samples), (bytes) => {
        try {
          expectBytes(roundTrip(bytes), bytes);
        } catch (error) {
          if (!(error instanceof DecodeError)) throw error;
        }
      }),
      { numRuns: Infinity, interruptAfterTimeLimit: MINUTES * 60_000 },
    );
  },
  (MINUTES + 1) * 60_000,
);
