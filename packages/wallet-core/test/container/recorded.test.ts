import { runInSlices } from '@wrkz/service-kit/base';
import { readFixture } from '@wrkz/testing/fixtures';
import { decodeContent } from '../../src/container/content';
import { contentText, readContainer } from '../../src/container/encrypted-file';
import { exportOf2026 } from '../support/exports-of-2026';
import { comparable, plain } from '../support/plain';
import { recordedWallets } from '../support/recorded-wallets';

const decode = (text: string) => runInSlices(decodeContent(Buffer.from(text)));

test.each(recordedWallets())('$name is equivalent after decoding and encoding', async ({ path, password }) => {
  const bytes = await readContainer(path, password);
  const content = await runInSlices(decodeContent(bytes));
  expect(content.unknownFields.size).toBe(0);
  const written = contentText(content);
  expect(comparable(written)).toEqual(comparable(bytes.toString()));
  expect(await decode(written)).toEqual(content);
});

test.each(['alice', 'carol'])('the export of %s is equivalent after decoding and encoding', async (name) => {
  const exported = readFixture(`devnet/wallets/${name}.export.json`);
  expect(comparable(contentText(await decode(exported)))).toEqual(comparable(exported));
});

test.each(['seed', 'subwallets', 'view'] as const)('the export %s of 2026 is encoded byte for byte', async (name) => {
  const text = exportOf2026(name);
  expect(contentText(await decode(text))).toBe(text);
});

test('a file without the later fields is decoded, and encoded with them', async () => {
  const document = plain(exportOf2026('seed'));
  const subWallets = document['subWallets'] as Record<string, unknown>;
  delete subWallets['subWalletIndexCounter'];
  delete (subWallets['subWallet'] as Record<string, unknown>[])[0]!['walletIndex'];
  const text = JSON.stringify(document, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
  expect(contentText(await decode(text))).toBe(exportOf2026('seed'));
});
