import { STATUS, type ProposalDraft } from '../store/proposal';

interface SampleDonation {
  readonly coins: number;
  readonly daysAgo: number;
  readonly locked?: boolean;
}

/** A made-up proposal; address and time come when it is put in. */
export interface Sample extends Omit<ProposalDraft, 'address' | 'posted'> {
  readonly daysAgo: number;
  readonly donations: readonly SampleDonation[];
}

/** What `--demo` shows: every status and category, from nothing received to more than was asked for. */
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
    content: `Many people who were given WRKZ have a phone that is five years old or more. The wallets of today want a newer system
and half a gigabyte of space. This proposal is for one that needs neither.

## What will be there

- Android 7 and newer, below **12 MB**
- sending, receiving, an address book, QR codes with amounts
- proof of work on a helper, so that a send takes seconds and not minutes
- a seed on paper as the only thing that must be kept

## Plan

| Step | Until | Share |
| --- | --- | ---: |
| Synchronization over compact blocks | 15 January | 40 % |
| Sending, with a helper | 20 February | 35 % |
| Translations and release | 15 March | 25 % |

The source will be public from the first day. Each step ends with a build that everybody can install; the share is paid when
it is out.

> I have kept the point-of-sale app of two shops running for three years, so I know these phones.

Questions are welcome in the channel of the community.
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
    content: `Six meetups between December and February have offered us a table. A table without anything on it is a table that people
walk past.

I would print:

1. two roll-up posters that go from place to place,
2. 500 stickers,
3. 300 cards with a QR code that leads to a first wallet.

What is left over goes to the next season, and the print files go to whoever wants them.
`,
  },
  {
    headline: 'Read the chain from a phone: compact blocks for wallets',
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
    content: `A wallet reads some 2 KB a block today, most of which it has no use for. With a compact form it would read 300 bytes and ask
for the rest only where something is its own.

## Work

- [the format and its test vectors](https://example.org/compact-blocks)
- the node's side, behind an option
- the wallet's side, with a fall-back to the form of today

\`\`\`
GET /getcompactblocks?start=4200000&count=1000
\`\`\`

Two thirds are done. The numbers of the first run: **6.1 times** less traffic and **4.4 times** less time on a phone.
`,
  },
  {
    headline: 'A fresh set of icons that can be read at 16 pixels',
    category: 'design',
    status: STATUS.completed,
    user: 'ines',
    target: 12_000_000n,
    daysAgo: 96,
    donations: [
      { coins: 60_000, daysAgo: 90 },
      { coins: 75_000, daysAgo: 88 },
    ],
    content: `The icon turns into a smudge where it is small: in a tab, in a tray, in a list of apps.

Delivered: one drawing in four sizes, each drawn for its size; light, dark and one colour; SVG and PNG, free for everybody.

Thank you all. More came in than was asked for, so there is a set for **documents** and **payments** as well.
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
    content: `Three public nodes and a proof-of-work helper serve everybody who runs none of their own. They cost some 40 Euro a month.

* two nodes in Europe, one in Asia
* one helper with 16 threads
* monitoring, updates within a day

Accounts are published every three months.
`,
  },
];
