import { readFile, rename, stat } from 'node:fs/promises';
import { atomicWriteFile, errorText, removeUnfinishedWrites } from '@wrkz/service-kit';
import { z } from 'zod';
import { canonicalHost, type PeerAddress } from '../addresses';
import type { Ban, Bans } from '../limits/bans';
import type { P2pLogger } from '../ports';
import type { AddressBook, BookEntry } from './address-book';

/** The persistent state: our peer id, the known peers, the peers of the last connections, and the bans. */
export interface PeerState {
  readonly peerId: bigint;
  readonly white: readonly BookEntry[];
  readonly gray: readonly BookEntry[];
  /** Secret hash key of the buckets; missing in files of older versions. */
  readonly bucketKey?: Buffer | undefined;
  /** Peers connected at the last stop (anchors); dialed first at the next start. */
  readonly anchors: readonly PeerAddress[];
  readonly bans: readonly Ban[];
}

const VERSION = 1;
const host = z.string().transform((text, context) => {
  const canonical = canonicalHost(text);
  if (canonical === undefined) context.addIssue({ code: 'custom', message: 'no IP address' });
  return canonical ?? '';
});
const port = z.number().int().min(1).max(65535);
const seconds = z.number().nonnegative();
const peer = z.object({
  host,
  port,
  id: z.string().regex(/^\d{1,20}$/),
  lastSeen: seconds.int(),
  source: z.string().max(64).optional(),
  failures: z.number().int().nonnegative().optional(),
  isProven: z.boolean().optional(),
});
const schema = z.object({
  version: z.literal(VERSION),
  peerId: z.string().regex(/^\d{1,20}$/),
  bucketKey: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  white: z.array(peer),
  gray: z.array(peer),
  anchors: z.array(z.object({ host, port })),
  bans: z.array(z.object({ host, until: seconds })),
  // A separate field, so that versions without range bans can read the file.
  rangeBans: z.array(z.object({ host: z.string(), until: seconds })).optional(),
});

/**
 * Reads the peer state. Undefined for a missing file. An invalid file is renamed to `<file>.bad` and the error text returned, so
 * that the node starts with empty lists and no data is deleted.
 */
export async function readPeerState(file: string): Promise<PeerState | { readonly error: string } | undefined> {
  let text: string;
  try {
    removeUnfinishedWrites(file);
    if (!(await stat(file)).isFile()) throw new Error('it is not a regular file');
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return { error: `cannot be read: ${errorText(error)}` };
  }
  try {
    const state = schema.parse(JSON.parse(text));
    const entry = (item: z.infer<typeof peer>): BookEntry => ({ ...item, id: BigInt.asUintN(64, BigInt(item.id)) });
    return {
      peerId: BigInt.asUintN(64, BigInt(state.peerId)),
      ...(state.bucketKey === undefined ? {} : { bucketKey: Buffer.from(state.bucketKey, 'hex') }),
      white: state.white.map(entry),
      gray: state.gray.map(entry),
      anchors: state.anchors,
      bans: [...state.bans, ...(state.rangeBans ?? [])],
    };
  } catch {
    await rename(file, `${file}.bad`).catch(() => undefined);
    return { error: `is damaged; it was renamed to ${file}.bad` };
  }
}

/** Replaces the peer state atomically: a reader finds the old file or the new one. */
export async function writePeerState(file: string, state: PeerState): Promise<void> {
  const entry = (item: BookEntry): object => ({ ...item, id: item.id.toString() });
  const content = {
    version: VERSION,
    peerId: state.peerId.toString(),
    bucketKey: state.bucketKey?.toString('hex'),
    white: state.white.map(entry),
    gray: state.gray.map(entry),
    anchors: state.anchors.map(({ host, port }) => ({ host, port })),
    bans: state.bans.filter(({ host }) => !host.includes('/')),
    rangeBans: state.bans.filter(({ host }) => host.includes('/')),
  };
  await atomicWriteFile(file, `${JSON.stringify(content)}\n`);
}

const ANCHORS_KEPT = 4;

/** Persists the peer state in a file; without a file it is only in memory. */
export class PeerStore {
  private saving: Promise<void> = Promise.resolve();
  /** The save that is queued behind the running write. */
  private next: Promise<void> | undefined;
  /** The peers connected at the last `save`: a shutdown may close them before the queued write runs. */
  private anchors: readonly PeerAddress[] = [];

  constructor(
    private readonly file: string | undefined,
    private readonly dependencies: {
      readonly own: { peerId: bigint };
      readonly book: AddressBook;
      readonly bans: Bans;
      readonly logger: P2pLogger;
      /** The connected outgoing peers. */
      called(): readonly PeerAddress[];
    },
  ) {}

  /**
   * Restores the lists from the file. @returns the peers that the last run was connected to
   * @param bansOnly restores the bans only: the peer id and the peer lists are dropped
   */
  async restore(bansOnly = false): Promise<readonly PeerAddress[]> {
    const { own, book, bans, logger } = this.dependencies;
    const state = this.file === undefined ? undefined : await readPeerState(this.file);
    if (state === undefined) return [];
    if ('error' in state) {
      logger.warning(`the peer list ${this.file ?? ''} ${state.error}; starting with an empty one`);
      return [];
    }
    bans.restore(state.bans);
    if (bansOnly) return [];
    if (state.peerId !== 0n) own.peerId = state.peerId;
    book.restore(state);
    return state.anchors;
  }

  /**
   * Writes the file; resolves when the current state is stored. Writes are serialised and coalesced: changes during a write share
   * the next one, so repeated bans do not cause a write each. Failures are logged.
   */
  save(): Promise<void> {
    const { file } = this;
    if (file === undefined) return Promise.resolve();
    this.anchors = this.dependencies.called().slice(0, ANCHORS_KEPT);
    this.next ??= this.saving
      .then(() => {
        this.next = undefined;
        return writePeerState(file, this.state());
      })
      .catch((error: unknown) => {
        this.dependencies.logger.warning(`the peer list could not be written: ${errorText(error)}`);
      });
    this.saving = this.next;
    return this.saving;
  }

  private state(): PeerState {
    const { own, book, bans } = this.dependencies;
    return {
      peerId: own.peerId,
      bucketKey: book.bucketKey,
      white: book.whiteEntries(),
      gray: book.grayEntries(),
      anchors: this.anchors,
      bans: bans.list(),
    };
  }
}
