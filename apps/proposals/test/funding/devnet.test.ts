import { decodeAddress, encodeAddress } from '@wrkz/core-types';
import { Community, MINER, READ_KEY, type WalletService } from '../support/community';
import { json, send } from '../support/http-client';
import { paymentIdOf, proposalFile, startService, stopAll } from '../support/service';

/* Funding with real wallets and devnet nodes (docs/operations/proposals.md#follow-donations). */

const community = new Community();
/** A few blocks more than the unlock time of the outputs that a wallet sends. */
const BLOCKS_TO_UNLOCK = 40;

beforeAll(() => community.begin());
afterAll(async () => {
  await stopAll();
  await community.end();
});

const newAddress = async (wallet: WalletService): Promise<string> =>
  (await wallet.request<{ address: string }>('POST', '/addresses/create')).address;

test('donations count once unlocked, are removed by a reorganisation, and count again, with a read-only key', async () => {
  const [operator, donor] = await Promise.all([community.wallet('bob'), community.wallet('alice')]);
  const plain = await newAddress(operator);
  const other = await newAddress(operator);
  const integrated = encodeAddress({ ...decodeAddress(other), paymentId: paymentIdOf('devnet') });
  const listing = await startService(
    ['--network', 'devnet', '--rate-limit', '0', '--wallet-api', operator.url, '--wallet-api-key', READ_KEY],
    { pollMs: 3_600_000 },
  );
  const { follower } = listing.service;
  const add = (fields: Readonly<Record<string, string>>): string =>
    listing.admin('admin', 'add', '--network', 'devnet', proposalFile({ status: 'funding', ...fields }));
  add({ target: '100', address: plain });
  add({ target: '300', address: integrated });

  /** Waits until the wallet is synchronized. @returns the funding of both proposals in the API, and the page of one */
  async function currentFunding(): Promise<{ funded: unknown; page: string }> {
    await operator.caughtUp();
    // The wallet polls the status of its node on its own timer, so it may report the previous height for some time.
    do await follower?.poll();
    while (follower?.failure === 'the wallet is not synchronized');
    expect(follower?.failure).toBeUndefined();
    const { data } = json(await send(listing.url, '/api/1/proposals?status=2'));
    const funded = (data as { id: number; funded_pct: number }[]).map((one) => [one.id, one.funded_pct]);
    return { funded, page: (await send(listing.url, '/proposal/2')).text };
  }
  const nothing = [
    [2, 0],
    [1, 0],
  ];
  const both = [
    [2, 33.33],
    [1, 12.34],
  ];

  await donor.caughtUp();
  expect((await currentFunding()).funded).toEqual(nothing);
  await community.cut(1);
  await donor.request('POST', '/transactions/send/basic', { destination: plain, amount: 1_234 });
  await donor.request('POST', '/transactions/send/basic', { destination: integrated, amount: 10_000 });
  expect((await currentFunding()).funded).toEqual(nothing);

  await community.node.generate(MINER, 1);
  const locked = await currentFunding();
  expect(locked.funded).toEqual(nothing);
  expect(locked.page).toContain('100.00 WRKZ more is confirmed but still locked');

  await community.node.generate(MINER, BLOCKS_TO_UNLOCK);
  const confirmed = await currentFunding();
  expect(confirmed.funded).toEqual(both);
  expect(confirmed.page).toContain('1 contribution');

  await community.cut(0);
  await community.overtake(1);
  const turned = await currentFunding();
  expect(turned.funded).toEqual(nothing);
  expect(turned.page).toContain('There are no contributions yet');

  await community.cut(1);
  await community.overtake(0);
  const back = await currentFunding();
  expect(back.funded).toEqual(both);
  expect(back.page).toContain('1 contribution');
});
