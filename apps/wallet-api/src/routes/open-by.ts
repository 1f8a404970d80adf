import { walletError } from '@wrkz/wallet-core';
import type { WalletApiContext } from '../context';
import { filePlace } from '../file-names';
import { nodeChoice, type NodeFields } from '@wrkz/wallet-server';
import type { WayToWallet } from '../open-wallet';

interface WalletMembers extends NodeFields {
  readonly filename: string;
  readonly password: string;
}

/**
 * Opens a wallet by one of the ways. A name that leads out of the folder is one that cannot be opened: 1, or made: 2.
 * @throws WalletError; HttpError 403 when one is open
 */
export async function openBy(
  { held, files, network }: Pick<WalletApiContext, 'held' | 'files' | 'network'>,
  body: WalletMembers,
  way: WayToWallet,
  isNew = true,
): Promise<undefined> {
  const file = filePlace(body.filename, files);
  if (file === undefined) throw isNew ? walletError.invalidWalletFilename() : walletError.filenameNonExistent();
  await held.open(way, { file, password: body.password, node: nodeChoice(body, { network }), isNew });
}
