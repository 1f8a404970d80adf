import { fromHex } from '@wrkz/core-types';
import { secretKeyToPublicKey } from '@wrkz/crypto';
import { FileLocked, sqliteFailure, SqliteFileError, WrongSchemaVersion } from '@wrkz/sqlite';
import { WalletFile } from '../container/wallet-file';
import { walletErrorOfCode, walletErrorRows } from '../errors';
import type { WalletContent } from '../ledger/model';
import { sideFileOf, withSideFile } from '../side-file/mark';
import { SideFile } from '../side-file/side-file';
import type { ContainerConversion, ContainerStore, OpenContainer, OpenedContainer } from './ports';

/** What is found beside a container, told as soon as both are open. */
export interface ContainerSurroundings {
  readonly sideFile: SideFile;
  /** Undefined unless the file was of the old kind until now. */
  readonly converted: ContainerConversion | undefined;
}

export type OnContainer = (surroundings: ContainerSurroundings) => void;

/**
 * Containers together with their side files: each is opened while the container is held, and named in it by every save
 * (docs/protocol/wallet.md#side-file).
 */
export function containerStore(onContainer: OnContainer, now: () => number): ContainerStore {
  const join = (held: HeldContainer): Promise<OpenedContainer> => withItsSideFile(held, onContainer, now);
  return {
    open: async (file, password) => join(await WalletFile.open(file, password)),
    create: async (file, password, content) => join(await WalletFile.create(file, password, content)),
    exportPlain: (file, content) => WalletFile.exportPlain(file, content),
  };
}

interface HeldContainer {
  readonly walletFile: WalletFile;
  readonly content: WalletContent;
  readonly converted?: ContainerConversion | undefined;
}

async function withItsSideFile(
  { walletFile, content, converted }: HeldContainer,
  onContainer: OnContainer,
  now: () => number,
): Promise<OpenedContainer> {
  try {
    const wallet = publicViewKey(content);
    const sideFile = SideFile.open({ walletFile: walletFile.file, wallet, expected: sideFileOf(content), now: now() });
    onContainer({ sideFile, converted });
    return { walletFile: new ContainerWithSideFile(walletFile, sideFile), content };
  } catch (error) {
    await walletFile.close();
    throw refusalOf(error);
  }
}

/** Of a side file that cannot be used at all, where one that is damaged is set aside. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof SqliteFileError) && sqliteFailure(error) === undefined) return error;
  const { walletFileInUse, unsupportedWalletFileFormatVersion, invalidWalletFilename } = walletErrorRows;
  let row: { readonly code: number } = invalidWalletFilename;
  if (error instanceof FileLocked) row = walletFileInUse;
  if (error instanceof WrongSchemaVersion) row = unsupportedWalletFileFormatVersion;
  return walletErrorOfCode(row.code, undefined, { cause: error });
}

class ContainerWithSideFile implements OpenContainer {
  constructor(
    private readonly walletFile: WalletFile,
    private readonly sideFile: SideFile,
  ) {}

  save(content: WalletContent): Promise<void> {
    return this.walletFile.save(this.named(content));
  }

  changePassword(password: string, content: WalletContent): Promise<void> {
    return this.walletFile.changePassword(password, this.named(content));
  }

  isPassword(password: string): boolean {
    return this.walletFile.isPassword(password);
  }

  /** The side file first, since whoever takes the lock of the container takes that one too. */
  async close(): Promise<void> {
    this.sideFile.close();
    await this.walletFile.close();
  }

  private named(content: WalletContent): WalletContent {
    return withSideFile(content, this.sideFile.mark);
  }
}

function publicViewKey({ privateViewKey }: WalletContent): string {
  const secret = fromHex(privateViewKey, 32);
  if (secret === undefined) throw new RangeError('a view key has 32 bytes');
  return secretKeyToPublicKey(secret).toString('hex');
}
