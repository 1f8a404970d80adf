import { STATUS, type ProposalDraft } from '../store/proposal';

interface SampleDonation {
  readonly coins: number;
  readonly daysAgo: number;
  readonly locked?: boolean;
}

/** A proposal without address and time, which `fillWithSamples` adds. */
export interface Sample extends Omit<ProposalDraft, 'address' | 'posted'> {
  readonly daysAgo: number;
  readonly donations: readonly SampleDonation[];
}

/** The proposals of `--demo`: all listed statuses, all categories, from no donations to more than the target. */
export const SAMPLES: readonly Sample[] = [
  {
    headline: 'A light wallet for older phones',
    category: 'wallets',
    status: STATUS.funding,
    user: 'mira',
    target: 250_000_000n,
    daysAgo: 9,
    donations: [
      { coins: 350_000, daysAgo: 7.2 },
      { coins: 612_500.5, daysAgo: 5.1 },
      { coins: 125_000, daysAgo: 2.4 },
      { coins: 40_000, daysAgo: 0.01, locked: true },
    ],
    content: `Many WRKZ users have a phone that is older than five years. Current wallets need a newer system and 500 MB of space.

## Features

- Android 7 and newer, below **12 MB**
- sending, receiving, an address book, QR codes with amounts
- proof of work on a helper, so that a send takes seconds

## Plan

| Step | Until | Share |
| --- | --- | ---: |
| Synchronization over compact blocks | 15 January | 40 % |
| Sending, with a helper | 20 February | 35 % |
| Translations and release | 15 March | 25 % |

The source is public from the first day. Each step ends with a build; its share is paid after the release of the build.

> I have maintained the point-of-sale app of two shops for three years.
`,
  },
  {
    headline: 'Posters and stickers for the winter meetups',
    category: 'marketing',
    status: STATUS.proposal,
    user: 'jonas',
    target: 8_000_000n,
    daysAgo: 3,
    donations: [],
    content: `Six meetups between December and February have offered us a table. I would print:

1. two roll-up posters,
2. 500 stickers,
3. 300 cards with a QR code of a wallet download.

The rest is for the next season. The print files will be public.
`,
  },
  {
    headline: 'Compact blocks for phone wallets',
    category: 'core',
    status: STATUS.wip,
    user: 'tove',
    target: 500_000_000n,
    daysAgo: 48,
    donations: [
      { coins: 2_000_000, daysAgo: 44 },
      { coins: 1_750_000.25, daysAgo: 41.5 },
      { coins: 1_249_999.75, daysAgo: 36 },
    ],
    content: `A wallet downloads about 2 KB per block and uses little of it. Compact blocks have 300 bytes.

## Work

- [the format and its test vectors](https://example.org/compact-blocks)
- the node, behind an option
- the wallet, with a fallback to the current format

\`\`\`
GET /getcompactblocks?start=4200000&count=1000
\`\`\`

Two thirds are done. First results on a phone: **6.1 times** less traffic, **4.4 times** less time.
`,
  },
  {
    headline: 'A set of icons that is readable at 16 pixels',
    category: 'design',
    status: STATUS.completed,
    user: 'ines',
    target: 12_000_000n,
    daysAgo: 96,
    donations: [
      { coins: 60_000, daysAgo: 90 },
      { coins: 75_000, daysAgo: 88 },
    ],
    content: `The current icon is unreadable in tabs and lists of apps.

Delivered: one drawing in four sizes; light, dark and one colour; SVG and PNG, free for everybody.

Thank you. The donations exceeded the target, so there are also icons for **documents** and **payments**.
`,
  },
  {
    headline: 'Hosting of the public nodes for one more year',
    category: 'misc',
    status: STATUS.funding,
    user: 'operators',
    target: 96_000_000n,
    daysAgo: 20,
    donations: [
      { coins: 9_800, daysAgo: 18 },
      { coins: 0.5, daysAgo: 11 },
    ],
    content: `Three public nodes and a proof-of-work helper cost about 40 Euro per month.

* two nodes in Europe, one in Asia
* one helper with 16 threads
* monitoring, updates within a day
`,
  },
];
