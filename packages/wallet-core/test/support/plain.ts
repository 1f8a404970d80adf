import { type JsonObject, parseJson } from '@wrkz/service-kit';

/** Parses the JSON of a container with exact integers. */
export function plain(text: string): JsonObject {
  return parseJson(text, Number.MAX_SAFE_INTEGER) as JsonObject;
}

/** The list at a path, to be changed in place. */
export function listAt(document: JsonObject, ...path: string[]): JsonObject[] {
  let value: unknown = document;
  for (const name of path) value = (value as JsonObject)[name];
  return value as JsonObject[];
}

/**
 * Parses JSON and removes the differences between the programs. C++ wallets write sub-wallets in the order of a hash map and
 * repeat hashes, and those of 2025 write uninitialised memory into two fields of view wallets.
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
  if ((document['subWallets'] as JsonObject)['isViewWallet'] === true) subWallets.forEach(deleteUninitialised);
  return document;
}

const keyOf = (subWallet: JsonObject): string => subWallet['publicSpendKey'] as string;

function deleteUninitialised(subWallet: JsonObject): void {
  for (const input of listAt(subWallet, 'unspentInputs')) {
    delete input['keyImage'];
    delete input['privateEphemeral'];
  }
}
