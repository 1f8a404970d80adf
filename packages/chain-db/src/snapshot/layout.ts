/**
 * The fixed layouts of the records in a snapshot: documents of the key-value format of the peers, as the C++ database stores
 * them (docs/protocol/snapshot.md#records). Everything but a few slots is the same in all records of a table.
 */

const SIGNATURE = [0x01, 0x11, 0x01, 0x01, 0x01, 0x01, 0x02, 0x01, 0x01];

/** Type bytes of the key-value format. */
const TYPE = { u64: 0x05, u32: 0x06, u16: 0x07, text: 0x0a, section: 0x0c } as const;
const WIDTH = { u64: 8, u32: 4, u16: 2, hash: 32 } as const;

type Kind = keyof typeof WIDTH;

/** A place in a record that differs from record to record: [start, end). */
export interface Slot {
  readonly start: number;
  readonly end: number;
}

/** Bytes of a record with zeros in its slots, and where those are. */
export class RecordLayout<Name extends string> {
  readonly length: number;
  /** The bytes between the slots. */
  private readonly fixed: readonly { readonly start: number; readonly bytes: Buffer }[];

  constructor(
    readonly template: Buffer,
    readonly slots: Readonly<Record<Name, Slot>>,
  ) {
    this.length = template.length;
    const ends = Object.values<Slot>(slots);
    const starts = [0, ...ends.map(({ end }) => end)];
    this.fixed = starts
      .map((start, i) => ({ start, bytes: template.subarray(start, ends[i]?.start ?? template.length) }))
      .filter(({ bytes }) => bytes.length > 0);
  }

  /** Whether bytes are laid out so. */
  fits(bytes: Buffer): boolean {
    return (
      bytes.length === this.length &&
      this.fixed.every(({ start, bytes: wanted }) => wanted.compare(bytes, start, start + wanted.length) === 0)
    );
  }
}

const name = (text: string): number[] => [text.length, ...Buffer.from(text, 'latin1')];

type Member = readonly [name: string, kind: Kind];

/** Members of one section, one slot each; the section's length byte counts them. */
function members<Name extends string>(
  head: readonly number[],
  list: readonly (readonly [slot: Name, ...Member])[],
): RecordLayout<Name> {
  const bytes = [...head];
  const slots: Partial<Record<Name, Slot>> = {};
  for (const [slot, member, kind] of list) {
    bytes.push(...name(member));
    bytes.push(...(kind === 'hash' ? [TYPE.text, WIDTH.hash << 2] : [TYPE[kind]]));
    slots[slot] = { start: bytes.length, end: bytes.length + WIDTH[kind] };
    for (let i = 0; i < WIDTH[kind]; i++) bytes.push(0);
  }
  return new RecordLayout(Buffer.from(bytes), slots as Record<Name, Slot>);
}

const table = (letter: string): number[] => [...SIGNATURE, 1 << 2, ...name(letter), TYPE.section];

/** What stands before the second half of a key: the table's letter, and once more as text. */
const keyHead = (letter: string): number[] => [
  ...table(letter),
  2 << 2,
  ...name('first'),
  TYPE.text,
  1 << 2,
  letter.charCodeAt(0),
];

/** Bytes that tell the table of a record. */
export const TABLE_BYTES = SIGNATURE.length + 3;

export const BLOCK_KEY = members(keyHead('6'), [['height', 'second', 'u32']]);
export const BLOCK_VALUE = members(
  [...table('6'), 6 << 2],
  [
    ['hash', 'block_hash', 'hash'],
    ['timestamp', 'timestamp', 'u64'],
    ['size', 'block_size', 'u32'],
    ['cumulativeDifficulty', 'cumulative_difficulty', 'u64'],
    ['generatedCoins', 'already_generated_coins', 'u64'],
    ['generatedTransactions', 'already_generated_transaction_count', 'u64'],
  ],
);

export const IMAGE_KEY = members(keyHead('7'), [['image', 'second', 'hash']]);
/** No section: the height that spent it stands alone. */
export const IMAGE_VALUE = new RecordLayout(Buffer.from([...SIGNATURE, 1 << 2, ...name('7'), TYPE.u32, 0, 0, 0, 0]), {
  height: { start: TABLE_BYTES + 1, end: TABLE_BYTES + 5 },
});

export const OUTPUT_KEY = members(
  [...keyHead('j'), ...name('second'), TYPE.section, 2 << 2],
  [
    ['amount', 'first', 'u64'],
    ['index', 'second', 'u32'],
  ],
);
export const OUTPUT_VALUE = members(
  [...table('j'), 5 << 2],
  [
    ['key', 'public_key', 'hash'],
    ['transactionHash', 'transaction_hash', 'hash'],
    ['unlockTime', 'unlock_time', 'u64'],
    ['position', 'output_index', 'u16'],
    ['height', 'block_index', 'u32'],
  ],
);
