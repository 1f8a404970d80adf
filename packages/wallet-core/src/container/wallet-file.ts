import { lstatSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { runInSlices } from '@wrkz/service-kit/base';
import { FileLocked, takeWriteLock, type WriteLock } from '@wrkz/sqlite';
import { walletErrorOf } from '../errors';
import { type ContainerConversion, convertGreenFile } from './green/convert';
import type { WalletContent } from '../ledger/model';
import { decodeContent } from './content';
import { deriveFileKey, readContainer, writeContainer, writePlain } from './encrypted-file';
import { checkNewFile, removePrevious, setAsidePrevious, isIrregularFile, readFileStart, replaceFile } from './file-io';

/** The next save. It starts when the running save ends. */
interface QueuedSave {
  content: WalletContent;
  readonly saved: Promise<void>;
}

/**
 * An open container, locked against other programs until it is closed or the process ends. One save runs at a time. Saves
 * requested during a save are combined into one save of the latest content.
 */
export class WalletFile {
  private saving: Promise<void> = Promise.resolve();
  private queued: QueuedSave | undefined;
  private closed = false;
  private version: string | undefined;

  private constructor(
    /** Absolute path with links resolved. */
    readonly file: string,
    private password: string,
    private readonly lock: WriteLock,
  ) {
    this.version = versionOf(file);
  }

  /**
   * Opens a container. A WalletGreen file is converted first.
   * @throws WalletError filenameNonExistent when the file cannot be read, walletFileInUse when another program holds the
   * lock, and those of `readContainer`, `decodeContent` and `convertGreenFile`
   */
  static async open(
    path: string,
    password: string,
  ): Promise<{ walletFile: WalletFile; content: WalletContent; converted: ContainerConversion | undefined }> {
    const file = resolveLinks(path);
    // Read before locking: the lock would create a file beside a missing container.
    await readFileStart(file, 1);
    const lock = takeLock(file);
    try {
      const converted = await convertGreenFile(file, password);
      const content = await runInSlices(decodeContent(await readContainer(file, password)));
      return { walletFile: new WalletFile(file, password, lock), content, converted };
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /**
   * Creates a container.
   * @param content returns the content. It is called after the file name was checked; if it throws, no container is created
   * @throws WalletError walletFileAlreadyExists, invalidWalletFilename, walletFileInUse; errors of `content`
   */
  static async create(
    path: string,
    password: string,
    content: () => WalletContent | Promise<WalletContent>,
  ): Promise<{ walletFile: WalletFile; content: WalletContent }> {
    const file = resolveLinks(path);
    await checkNewFile(file);
    const lock = takeLock(file);
    try {
      const first = await content();
      const key = await deriveFileKey(password);
      await setAsidePrevious(file);
      await replaceFile(file, 'create', (handle) => writeContainer(handle, first, key));
      return { walletFile: new WalletFile(file, password, lock), content: first };
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /**
   * Writes the content durably and retains the current version as `<file>.previous`. After an error the file is unchanged.
   * A file of another program at its path is set aside: it may be the only copy of other keys.
   * @throws WalletError invalidWalletFilename
   */
  save(content: WalletContent): Promise<void> {
    if (this.closed) return Promise.reject(new Error('the wallet file is closed'));
    if (this.queued !== undefined) {
      this.queued.content = content;
      return this.queued.saved;
    }
    const saved = this.saving.then(() => {
      const latest = this.queued?.content ?? content;
      this.queued = undefined;
      return this.write(latest);
    });
    this.queued = { content, saved };
    this.saving = saved.catch(() => undefined);
    return saved;
  }

  isPassword(password: string): boolean {
    return password === this.password;
  }

  /** Reads a copy of this container with its password. @throws WalletError as `readContainer` and `decodeContent` */
  async readCopy(copy: string): Promise<WalletContent> {
    return runInSlices(decodeContent(await readContainer(copy, this.password)));
  }

  /**
   * Saves with a new password and removes the previous version, which the old password can open. After an error of the save the
   * old password remains valid, after one of the removal the new one is.
   * @throws WalletError invalidWalletFilename
   */
  async changePassword(password: string, content: WalletContent): Promise<void> {
    await this.saving;
    const { password: before, version } = this;
    this.password = password;
    try {
      await this.save(content);
    } catch (error) {
      this.password = before;
      // The file may have the new password: the folder is synced after the rename.
      if (this.version !== version) await this.save(content).catch(() => undefined);
      throw error;
    }
    await removePrevious(this.file);
  }

  /** Writes the unencrypted JSON of the content and replaces an existing file. @throws WalletError invalidWalletFilename */
  static async exportPlain(path: string, content: WalletContent): Promise<void> {
    await replaceFile(resolveLinks(path), 'replace', (handle) => writePlain(handle, content));
  }

  /** Deletes the container, for a creation that failed after it. */
  async delete(): Promise<void> {
    await rm(this.file, { force: true });
    await removePrevious(this.file);
  }

  /** Waits for requested saves and releases the lock. Starts no save. Idempotent. */
  async close(): Promise<void> {
    this.closed = true;
    await this.saving;
    this.lock.release();
  }

  private async write(content: WalletContent): Promise<void> {
    const key = await deriveFileKey(this.password);
    const found = versionOf(this.file);
    const isForeign = found !== undefined && found !== this.version;
    try {
      await replaceFile(this.file, 'keep-previous', (handle) => writeContainer(handle, content, key));
    } finally {
      this.version = versionOf(this.file);
    }
    if (isForeign) await setAsidePrevious(this.file);
  }
}

/** Changes with each write of the file; undefined if it is no regular file or cannot be reached, which the save reports. */
function versionOf(file: string): string | undefined {
  try {
    const stats = lstatSync(file, { bigint: true });
    return stats.isFile() ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : undefined;
  } catch {
    return undefined;
  }
}

/** The absolute path with links resolved, so that a save replaces the file and not a link to it. */
function resolveLinks(path: string): string {
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

/** Locks `<file>.lock`, an empty file that remains after the lock is released. */
function takeLock(file: string): WriteLock {
  const lockFile = `${file}.lock`;
  try {
    if (isIrregularFile(lockFile)) throw new Error(`${lockFile} is not a regular file`);
    return takeWriteLock(lockFile, { file, title: 'wallet' });
  } catch (error) {
    const name = error instanceof FileLocked ? 'walletFileInUse' : 'invalidWalletFilename';
    throw walletErrorOf(name, undefined, { cause: error });
  }
}
