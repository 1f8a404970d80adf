import { type JsonObject, parseJson } from '@wrkz/service-kit';

/** The JSON of a container with every digit, as the reference or we wrote it. */
export function plain(text: string): JsonObject {
  return parseJson(text, Number.MAX_SAFE_INTEGER) as JsonObject;
}

/** The list of one path, for changing it in place. */
export function listAt(document: JsonObject, ...path: string[]): JsonObject[] {
  let value: unknown = document;
  for (const name of path) value = (value as JsonObject)[name];
  return value as JsonObject[];
}

/**
 * What may differ between the two programs is made equal: the order of sub-wallets is that of a hash map there, a hash stands
 * there several times running, and in a view wallet of 2025 two members hold whatever lay in memory.
 */
export function comparable(text: string): JsonObject {
  const document = plain(text);
  const status = ['walletSynchronizer', 'transactionSynchronizerStatus'];
  for (const name of ['lastKnownBlockHashes', 'blockHashCheckpoints']) {
    const hashes = listAt(document, ...status, name) as unknown as string[];
    hashes.splice(0, hashes.length, ...hashes.filter((hash, i) => hash !== hashes[i - 1]));
  }
  listAt(document, 'subWallets', 'publicSpendKeys').sort();
  const subWallets = listAt(document, 'subWallets', 'subWallet');
  subWallets.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  if ((document['subWallets'] as JsonObject)['isViewWallet'] === true) subWallets.forEach(withoutMemory);
  return document;
}

const keyOf = (subWallet: JsonObject): string => subWallet['publicSpendKey'] as string;

function withoutMemory(subWallet: JsonObject): void {
  for (const input of listAt(subWallet, 'unspentInputs')) {
    delete input['keyImage'];
    delete input['privateEphemeral'];
  }
}
