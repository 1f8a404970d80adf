import type { ServedWallet } from '@wrkz/wallet-core';

/** What an operator is told of a wallet that was just opened: that it was converted, and that its memory was lost. */
export function openingNews({ converted, sideFile }: Pick<ServedWallet, 'converted' | 'sideFile'>): string[] {
  const { lost } = sideFile.identity;
  return [
    ...(converted === undefined ? [] : [conversionText(converted)]),
    ...(lost === undefined
      ? []
      : [
          `the side file of this wallet was ${lost}: requests with an idempotency key and delayed transactions from before ` +
            'are not known any more',
        ]),
  ];
}

function conversionText({ backup, lostCache }: NonNullable<ServedWallet['converted']>): string {
  const history =
    lostCache === undefined ? '' : `; its history could not be read (${lostCache}) and comes from the chain`;
  return `this wallet was of the old kind and has been converted; the file as it was is kept as ${backup}${history}`;
}
