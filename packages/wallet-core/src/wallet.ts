import { inTurns } from './container/turns';
import { Ledger } from './ledger/ledger';
import type { WalletContent } from './ledger/model';
import type { OpenContainer, OpenedContainer, SpendShapes, WalletParts } from './wallet/ports';
import { RunningWallet } from './wallet/running-wallet';
import { startOfNewKeys } from './wallet/sub-wallets';

/** What every way to a wallet is told. */
export interface WalletSettings<Node> {
  readonly file: string;
  readonly password: string;
  /** The node, or a list of nodes. */
  readonly node: Node;
}

/** An open wallet, by each of the ways to one. */
export class Wallet<Node, Shapes extends SpendShapes = SpendShapes> extends RunningWallet<Node, Shapes> {
  private constructor(parts: WalletParts<Node, Shapes>, walletFile: OpenContainer, ledger: Ledger, node: Node) {
    super(parts, walletFile, ledger, node);
  }

  /** @throws what the container's reader refuses: 1 to 6 */
  static async open<Node, Shapes extends SpendShapes>(
    parts: WalletParts<Node, Shapes>,
    { file, password, node }: WalletSettings<Node>,
  ): Promise<Wallet<Node, Shapes>> {
    return Wallet.begin(parts, await parts.containers.open(file, password), node);
  }

  /** With new keys. @throws 8, 2 */
  static create<Node, Shapes extends SpendShapes>(
    parts: WalletParts<Node, Shapes>,
    settings: WalletSettings<Node>,
  ): Promise<Wallet<Node, Shapes>> {
    return Wallet.make(parts, settings, () => parts.keys.createdWallet(startOfNewKeys(parts.now())));
  }

  /** @throws 8, 2, 52 */
  static importKeys<Node, Shapes extends SpendShapes>(
    parts: WalletParts<Node, Shapes>,
    settings: WalletSettings<Node>,
    keys: { readonly privateViewKey: string; readonly privateSpendKey: string; readonly scanHeight: number },
  ): Promise<Wallet<Node, Shapes>> {
    const { privateViewKey, privateSpendKey, scanHeight } = keys;
    return Wallet.make(parts, settings, () =>
      parts.keys.walletFromKeys(privateViewKey, privateSpendKey, { height: scanHeight, timestamp: 0 }),
    );
  }

  /** @throws 8, 2, 34, 33, 35, 7, 52 */
  static importSeed<Node, Shapes extends SpendShapes>(
    parts: WalletParts<Node, Shapes>,
    settings: WalletSettings<Node>,
    { words, scanHeight }: { readonly words: string; readonly scanHeight: number },
  ): Promise<Wallet<Node, Shapes>> {
    return Wallet.make(parts, settings, () => parts.keys.walletFromSeed(words, { height: scanHeight, timestamp: 0 }));
  }

  /** One that sees what comes in and cannot spend. @throws 8, 2, 52, 12, 13, 25, 15 */
  static importView<Node, Shapes extends SpendShapes>(
    parts: WalletParts<Node, Shapes>,
    settings: WalletSettings<Node>,
    keys: { readonly privateViewKey: string; readonly address: string; readonly scanHeight: number },
  ): Promise<Wallet<Node, Shapes>> {
    const { privateViewKey, address, scanHeight } = keys;
    return Wallet.make(parts, settings, () =>
      parts.keys.walletFromViewKey(privateViewKey, address, { height: scanHeight, timestamp: 0 }),
    );
  }

  private static async make<Node, Shapes extends SpendShapes>(
    parts: WalletParts<Node, Shapes>,
    { file, password, node }: WalletSettings<Node>,
    content: () => WalletContent,
  ): Promise<Wallet<Node, Shapes>> {
    return Wallet.begin(parts, await parts.containers.create(file, password, content), node);
  }

  /** A node that cannot be followed leaves the file to whoever comes next. */
  private static async begin<Node, Shapes extends SpendShapes>(
    parts: WalletParts<Node, Shapes>,
    { walletFile, content }: OpenedContainer,
    node: Node,
  ): Promise<Wallet<Node, Shapes>> {
    try {
      return new Wallet(parts, walletFile, await inTurns(Ledger.loading(content)), node);
    } catch (error) {
      await walletFile.close();
      throw error;
    }
  }
}
