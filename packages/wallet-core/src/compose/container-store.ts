import { secretKeyToPublicKey } from '@wrkz/crypto';
import { fromHex } from '@wrkz/core-types';
import { WalletFile } from '../container/wallet-file';
import type { WalletContent } from '../ledger/model';
import { sideFileOf, withSideFile } from '../side-file/mark';
import { SideFile } from '../side-file/side-file';
import type { ContainerStore, OpenContainer, OpenedContainer } from '../wallet/ports';

/** Hears of the side file as soon as it is open. */
export type OnSideFile = (sideFile: SideFile) => void;

/**
 * Containers together with their side files: each is opened while the container is held, and named in it by every save
 * (docs/protocol/wallet.md#side-file).
 */
export function containerStore(onSideFile: OnSideFile, now: () => number): ContainerStore {
  const join = ({
    walletFile,
    content,
  }: {
    walletFile: WalletFile;
    content: WalletContent;
  }): Promise<OpenedContainer> => withItsSideFile(walletFile, content, onSideFile, now);
  return {
    open: async (file, password) => join(await WalletFile.open(file, password)),
    create: async (file, password, content) => join(await WalletFile.create(file, password, content)),
    exportPlain: (file, content) => WalletFile.exportPlain(file, content),
  };
}

async function withItsSideFile(
  walletFile: WalletFile,
  content: WalletContent,
  onSideFile: OnSideFile,
  now: () => number,
): Promise<OpenedContainer> {
  try {
    const wallet = publicViewKey(content);
    const sideFile = SideFile.open({ walletFile: walletFile.file, wallet, expected: sideFileOf(content), now: now() });
    onSideFile(sideFile);
    return { walletFile: new ContainerWithSideFile(walletFile, sideFile), content };
  } catch (error) {
    await walletFile.close();
    throw error;
  }
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
    return withSideFile(content, this.sideFile.identity.sideFile);
  }
}

function publicViewKey({ privateViewKey }: WalletContent): string {
  const secret = fromHex(privateViewKey, 32);
  if (secret === undefined) throw new RangeError('a view key has 32 bytes');
  return secretKeyToPublicKey(secret).toString('hex');
}
