import type { RecordedRow } from './recorded';

/** The result of a replayed request. */
export interface Replayed {
  readonly row: RecordedRow;
  /** Status and error code, if any. */
  readonly brief: string;
  /** The difference from the recorded response; undefined if equal. */
  readonly differs: string | undefined;
}

/** The reason of an intended difference of rows (docs/differences.md#wallet), and our response. */
interface Difference {
  readonly why: string;
  /** Our status and error code, if any. */
  readonly ours: string;
  readonly rows: readonly number[];
}

const DIFFERENCES: readonly Difference[] = [
  { why: 'the sweeps and the refresh exist, and no wallet is open', ours: '403', rows: [59, 60, 61] },
  { why: 'a payment id of 16 hex digits makes an integrated address, and no wallet is open', ours: '403', rows: [63] },
  { why: 'payment ids of 16 hex digits are found, and no wallet is open', ours: '403', rows: [71] },
  { why: 'a payment id is found in any case', ours: '200', rows: [318] },
  {
    why: 'the fusion routes do not exist',
    ours: '404',
    rows: [30, 31, 105, 106, 443, 444, 667, 668, 669, 670, 671, 672, 673, 674, 675, 676],
  },
  {
    why: 'the text of code 12 names three lengths',
    ours: '400 12',
    rows: [124, 125, 130, 141, 213, 272, 502, 503, 508, 535, 536, 541],
  },
  {
    why: 'the text of code 11 does not mention a node fee',
    ours: '400 11',
    rows: [237, 496, 497, 499, 500, 529, 530, 532, 533, 561, 615],
  },
  { why: 'the text of code 23 names two lengths', ours: '400 23', rows: [509, 510, 514, 542, 543, 547, 600, 656] },
  { why: 'a payment id that is not hex is refused', ours: '400 24', rows: [511, 512, 544, 545] },
  { why: 'a payment id of 16 hex digits is encrypted', ours: '201', rows: [707] },
  { why: 'a payment id of 16 hex digits needs a single destination', ours: '400 61', rows: [729] },
  {
    why: 'negative, fractional and too large numbers are refused',
    ours: '400',
    rows: [
      ...[162, 181, 184, 325, 340, 341, 492, 493, 498, 525, 526, 531, 565, 567, 571, 573, 593, 595],
      ...[619, 621, 625, 627, 647, 649, 771],
    ],
  },
  { why: 'keys of zero are refused', ours: '400 52', rows: [176, 399] },
  { why: 'keys of zero are refused', ours: '400 51', rows: [470] },
  { why: 'a seed whose spend key is not reduced is refused', ours: '400 52', rows: [194] },
  {
    why: 'the request that opened a wallet was refused, so there is none',
    ours: '403',
    rows: [163, 177, 178, 182, 183, 185, 186, 195, 196],
  },
  { why: 'the address of the zero key does not exist', ours: '200', rows: [405, 406, 422, 471, 472] },
  { why: 'the address of the zero key does not exist', ours: '400 10', rows: [407, 408, 474] },
  { why: 'a folder is not a wallet file', ours: '400 1', rows: [159] },
  { why: 'an invalid address is refused', ours: '400 15', rows: [278] },
  { why: 'earlier sends differ', ours: '200', rows: [677, 678, 734] },
  { why: 'a prepared transaction survives the close; its inputs were spent', ours: '400 57', rows: [701] },
  { why: 'while the node is unavailable, locks are computed at the height of the wallet', ours: '200', rows: [754] },
];

const listed = new Map(DIFFERENCES.flatMap((difference) => difference.rows.map((id) => [id, difference] as const)));

/** Fields that depend on randomly selected inputs. Other tests compare their sums with the chain. */
const PICKED_AT_RANDOM = new Map<number, readonly string[]>([
  [693, ['locked', 'unlocked']],
  [698, ['locked', 'unlocked']],
]);

/** Fields of a row's response of which only the type is compared. */
export const alsoVolatile = (id: number): readonly string[] => PICKED_AT_RANDOM.get(id) ?? [];

/** Our status and error code for a row. */
export function briefOf({ id, status, response }: Pick<RecordedRow, 'id' | 'status' | 'response'>): string {
  const code = /"errorCode": ?(\d+)/.exec(response)?.[1];
  return listed.get(id)?.ours ?? [status, ...(code === undefined ? [] : [code])].join(' ');
}

export const listedRows = (): number[] => DIFFERENCES.flatMap(({ rows }) => rows);

/** Rows with an unlisted difference, rows that are listed and equal, and rows with another difference than listed. */
export function complaints(replayed: readonly Replayed[]): string[] {
  return replayed.flatMap(({ row: { id, method, path }, differs, brief }) => {
    const difference = listed.get(id);
    const name = `${String(id)} ${method} ${path}`;
    if (difference === undefined) return differs === undefined ? [] : [`${name} ${differs}`];
    if (differs === undefined) return [`${name} is equal and yet listed: ${difference.why}`];
    return brief === difference.ours ? [] : [`${name} should be ${difference.ours}: ${differs}`];
  });
}
