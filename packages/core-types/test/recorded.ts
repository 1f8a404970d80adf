import { readFixture, readJson } from '@wrkz/testing/fixtures';

export { chainALines as chainA, chainAHeaders } from '@wrkz/testing/fixtures';

export const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** The recorded raw blocks of mainnet. */
export function mainnetBlocks(): { name: string; block: Buffer; transactions: Buffer[] }[] {
  const files = [
    '0_to_5',
    '302401_v5',
    '600001_v6',
    '1000001_v7',
    '4213000_v7',
    '4213001_v7_reconstructed',
    '4213648_to_4213650_v7',
  ];
  return files.flatMap((file) =>
    readJson<{ items: { block: string; transactions: string[] }[] }>(`mainnet/rawblocks_${file}.json`).items.map(
      (item, i) => ({
        name: `${file} #${i}`,
        block: hex(item.block),
        transactions: item.transactions.map((transaction) => hex(transaction)),
      }),
    ),
  );
}

/** The sections of a text of `name = value` lines under `##` or `###` titles. */
export function readSections(file: string): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>();
  let current = new Map<string, string>();
  for (const line of readFixture(file).split('\n')) {
    const title = /^#+ (.*)$/.exec(line);
    if (title !== null) {
      current = new Map();
      sections.set(title[1] as string, current);
      continue;
    }
    const at = line.lastIndexOf(' = ');
    if (at > 0) current.set(line.slice(0, at).trim(), line.slice(at + 3).trim());
  }
  return sections;
}

/** Expects two buffers to be equal (jest's own comparison of buffers is slow). */
export function expectBytes(actual: Uint8Array, expected: Uint8Array): void {
  expect(Buffer.from(actual).toString('hex')).toBe(Buffer.from(expected).toString('hex'));
}

/** Whether a decoder throws an error of this class. */
export function refuses(decode: () => unknown, type: new (...details: never[]) => Error): boolean {
  try {
    decode();
    return false;
  } catch (error) {
    return error instanceof type;
  }
}
