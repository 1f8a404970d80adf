import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { FileLocked, takeWriteLock, type WriteLock } from '@wrkz/sqlite';
import { walletErrorOfCode, walletErrorRows } from '../errors';
import { type ContainerConversion, convertGreenFile } from './green/convert';
import type { WalletContent } from '../ledger/model';
import { decodeContent } from './decode';
import { FileKeys, readContainer, writeContainer, writePlain } from './encrypted-file';
import { checkNewFile, removePrevious, setAsidePrevious, isSomethingElse, readFileStart, replaceFile } from './file-io';
import { inTurns } from './turns';

interface Waiting {
  content: WalletContent;
  readonly saved: Promise<void>;
}

/**
 * A container that this program holds: nobody else opens it until it is closed, or the process ends, by a kill as well. One
 * save runs at a time; those asked for meanwhile become one, with the latest content.
 */
export class WalletFile {
  private saving: Promise<void> = Promise.resolve();
  private waiting: Waiting | undefined;
  private closed = false;

  private constructor(
    /** Absolute, links followed. */
    readonly file: string,
    private readonly keys: FileKeys,
    private readonly lock: WriteLock,
  ) {}

  /**
   * Opens a container; one of the old kind is converted first.
   * @throws WalletError, looked for in this order: 1 the file cannot be read, 1000 another program holds it, 3 no container,
   * 4 it ends within the salt, 5 it does not decrypt, 4 too little in it, 5 its inner marker, 4 no JSON, 6 another version,
   * 4 a member that is missing or of a wrong type
   */
  static async open(
    path: string,
    password: string,
  ): Promise<{ walletFile: WalletFile; content: WalletContent; converted: ContainerConversion | undefined }> {
    const file = followed(path);
    // Before it is locked, since a lock makes a file beside it.
    await readFileStart(file, 1);
    const lock = takeLock(file);
    try {
      const converted = await convertGreenFile(file, password);
      const content = await inTurns(decodeContent(await readContainer(file, password)));
      return { walletFile: new WalletFile(file, new FileKeys(password), lock), content, converted };
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /**
   * Makes a container.
   * @param content is asked for once the name has proved to be usable
   * @throws WalletError 8 there is such a file, 2 it cannot be made, 1000; and what `content` throws, which leaves no file
   */
  static async create(
    path: string,
    password: string,
    content: () => WalletContent | Promise<WalletContent>,
  ): Promise<{ walletFile: WalletFile; content: WalletContent }> {
    const file = followed(path);
    await checkNewFile(file);
    const lock = takeLock(file);
    try {
      const first = await content();
      const keys = new FileKeys(password);
      const key = await keys.take();
      await replaceFile(file, 'create', (handle) => writeContainer(handle, first, key));
      await setAsidePrevious(file);
      return { walletFile: new WalletFile(file, keys, lock), content: first };
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /**
   * Writes the content; when this resolves, it outlives a power cut. A failure leaves the file as it was. The version before
   * is kept as `<file>.previous`.
   * @throws WalletError 2
   */
  save(content: WalletContent): Promise<void> {
    if (this.closed) return Promise.reject(new Error('the wallet file is closed'));
    if (this.waiting !== undefined) {
      this.waiting.content = content;
      return this.waiting.saved;
    }
    const saved = this.saving.then(() => {
      const latest = this.waiting?.content ?? content;
      this.waiting = undefined;
      return this.write(latest);
    });
    this.waiting = { content, saved };
    this.saving = saved.catch(() => undefined);
    return saved;
  }

  /** Whether this is the password of the file. */
  isPassword(password: string): boolean {
    return this.keys.isPassword(password);
  }

  /** The content of a copy of this container. @throws WalletError as `open` */
  async readCopy(copy: string): Promise<WalletContent> {
    return inTurns(decodeContent(await this.keys.read(copy)));
  }

  /**
   * Saves under another password; when that fails the old one stays. The previous version is removed, since the old password
   * opens it.
   * @throws WalletError 2
   */
  async changePassword(password: string, content: WalletContent): Promise<void> {
    await this.saving;
    const before = this.keys.change(password);
    try {
      await this.save(content);
    } catch (error) {
      this.keys.change(before);
      throw error;
    }
    await removePrevious(this.file);
  }

  /** Writes the JSON of the content in plain, over what is there. @throws WalletError 2 */
  static async exportPlain(path: string, content: WalletContent): Promise<void> {
    await replaceFile(followed(path), 'replace', (handle) => writePlain(handle, content));
  }

  /** Waits for the saves that were asked for and lets go of the file. Saves nothing by itself. Idempotent. */
  async close(): Promise<void> {
    this.closed = true;
    await this.saving;
    this.lock.release();
  }

  private async write(content: WalletContent): Promise<void> {
    const key = await this.keys.take();
    await replaceFile(this.file, 'keep-previous', (handle) => writeContainer(handle, content, key));
  }
}

/** The place of the file itself: a new version takes the place of the file, not of a link to it. */
function followed(path: string): string {
  const file = resolve(path);
  try {
    return realpathSync(file);
  } catch {
    try {
      return join(realpathSync(dirname(file)), basename(file));
    } catch {
      return file;
    }
  }
}

/** The lock is the operating system's, on a file beside the container that stays there, empty. */
function takeLock(file: string): WriteLock {
  const lockFile = `${file}.lock`;
  try {
    if (isSomethingElse(lockFile)) throw new Error(`${lockFile} is not a regular file`);
    return takeWriteLock(lockFile, { file, title: 'wallet' });
  } catch (error) {
    const row = error instanceof FileLocked ? walletErrorRows.walletFileInUse : walletErrorRows.invalidWalletFilename;
    throw walletErrorOfCode(row.code, undefined, { cause: error });
  }
}
