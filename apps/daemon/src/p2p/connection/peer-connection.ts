import type { Duplex } from 'node:stream';
import {
  encodeHeader,
  FrameParser,
  type ByteAllowance,
  type Frame,
  type FrameError,
  type FrameHeader,
} from '@wrkz/levin';
import { FRAME_PROGRESS, FRAME_TIMEOUT, SILENCE_TIMEOUT } from '../constants';
import type { AddressBudget } from '../limits/address-budget';
import { closeReasons, type CloseReason } from '../limits/close-reasons';
import type { P2pClock, P2pLogger } from '../ports';
import type { PeerAddress } from '../addresses';
import { reportThrow } from '../report-errors';
import { Inbox } from './inbox';
import { WriteQueue } from './write-queue';

const frameErrors: Record<FrameError, CloseReason> = {
  'bad-signature': closeReasons.badSignature,
  'frame-too-large': closeReasons.frameTooLarge,
  'memory-budget': closeReasons.memoryBudget,
};

export interface PeerConnectionOptions {
  readonly socket: Duplex;
  readonly remote: PeerAddress;
  readonly incoming: boolean;
  readonly clock: P2pClock;
  readonly logger: P2pLogger;
  /** Allowance for buffered bytes in both directions. */
  readonly share: ByteAllowance;
  readonly budget: Pick<AddressBudget, 'takeFrame' | 'budgetOf'>;
  /** Whether we requested the content of this frame. If absent, no frame counts as requested. */
  isRequested?(frame: Frame): boolean;
  /** Max body bytes accepted in the current state. */
  limitOf(header: FrameHeader): number;
  onClose(reason: CloseReason): void;
}

interface PendingRequest {
  readonly resolve: (frame: Frame | undefined) => void;
  readonly cancel: () => void;
}

/**
 * A Levin connection over a socket. Passes received frames to one handler in order, sends frames through a bounded queue, and
 * matches responses to requests. Every error leads to `close`, which calls `onClose` once; no socket event handler throws.
 */
export class PeerConnection {
  readonly remote: PeerAddress;
  readonly incoming: boolean;
  private readonly writes: WriteQueue;
  private readonly parser: FrameParser;
  private readonly inbox: Inbox;
  private readonly requests = new Map<number, PendingRequest>();
  private receivedAt: number;
  private frameSince: number | undefined;
  /** Bytes of the frame received since then. */
  private frameBytes = 0;
  private closed = false;

  constructor(private readonly options: PeerConnectionOptions) {
    const { socket, clock } = options;
    this.remote = options.remote;
    this.incoming = options.incoming;
    this.receivedAt = clock.now();
    this.writes = new WriteQueue(socket, () => clock.now(), options.share);
    this.inbox = new Inbox({
      onCrowded: (crowded) => {
        if (crowded) socket.pause();
        else if (!this.closed) socket.resume();
      },
      onError: (error) => {
        options.logger.error(`${this.name}: ${String(error instanceof Error ? error.stack : error)}`);
        this.close(closeReasons.internalError);
      },
      close: (reason) => this.close(reason),
      isRequested: (frame) => options.isRequested?.(frame) === true,
      clock,
      share: options.share,
      budget: options.budget,
    });
    this.parser = new FrameParser({
      limitOf: (header) => options.limitOf(header),
      onFrame: (frame) => this.arrived(frame),
      budget: options.share,
    });
    socket.on('data', (bytes: Buffer) => this.received(bytes));
    socket.on('error', () => this.close(closeReasons.socketError));
    socket.on('end', () => this.close(closeReasons.remoteClosed));
    socket.on('close', () => this.close(closeReasons.remoteClosed));
  }

  /** Name for log lines. */
  get name(): string {
    return `${this.incoming ? 'in' : 'out'} ${this.remote.host}:${this.remote.port}`;
  }

  get isOpen(): boolean {
    return !this.closed;
  }

  /** Time of the last received bytes. The current time while we pause reading ourselves. */
  get lastReceivedAt(): number {
    return this.inbox.isCrowded ? this.options.clock.now() : this.receivedAt;
  }

  /**
   * Time at which the incomplete frame started or last made sufficient progress; undefined between frames. The current time while
   * we pause reading ourselves.
   */
  get progressAt(): number | undefined {
    return this.inbox.isCrowded ? this.options.clock.now() : this.frameSince;
  }

  /** Passes frames to `handler`, one at a time. Frames received earlier are queued until this call. */
  start(handler: (frame: Frame) => Promise<void> | void): void {
    this.inbox.start(handler);
  }

  notify(command: number, body: Buffer): void {
    this.write({ command, kind: 'notification', returnCode: 0, body });
  }

  reply(command: number, body: Buffer, returnCode: number): void {
    this.write({ command, kind: 'response', returnCode, body });
  }

  /** Sends a request. @returns the response; undefined after the timeout or when the connection closes */
  request(command: number, body: Buffer, timeout: number): Promise<Frame | undefined> {
    if (this.closed || this.requests.has(command)) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const timer = this.options.clock.after(timeout, () => {
        this.requests.delete(command);
        resolve(undefined);
      });
      this.requests.set(command, {
        resolve,
        cancel: () => timer.cancel(),
      });
      this.write({ command, kind: 'request', returnCode: 0, body });
    });
  }

  /** Resolves when fewer than `bytes` are queued for sending. */
  writable(bytes: number): Promise<void> {
    return this.writes.below(bytes);
  }

  /** Checks the timeouts of this connection; called about once a second. */
  tick(): void {
    const now = this.options.clock.now();
    const error = this.writes.check();
    if (error !== undefined) this.close(closeReasons[error]);
    else if (now - this.lastReceivedAt > SILENCE_TIMEOUT) this.close(closeReasons.silence);
    else if (this.frameSince !== undefined && !this.inbox.isCrowded && now - this.frameSince > FRAME_TIMEOUT) {
      this.close(closeReasons.frameTimeout);
    }
  }

  /** Closes the connection; later calls have no effect. */
  close(reason: CloseReason): void {
    if (this.closed) return;
    this.closed = true;
    this.parser.end();
    this.inbox.close();
    this.writes.close();
    for (const { resolve, cancel } of this.requests.values()) {
      cancel();
      resolve(undefined);
    }
    this.requests.clear();
    this.options.socket.destroy();
    reportThrow(this.options.logger, `${this.name}: closing`, () => this.options.onClose(reason));
  }

  private write(frame: Frame): void {
    if (this.closed) return;
    const error = this.writes.push(encodeHeader(frame), frame.body);
    if (error !== undefined) this.close(closeReasons[error]);
  }

  private received(bytes: Buffer): void {
    if (this.closed) return;
    this.receivedAt = this.options.clock.now();
    try {
      const error = this.parser.push(bytes);
      if (error !== undefined) this.close(frameErrors[error]);
    } catch (error) {
      this.options.logger.error(`${this.name}: ${String(error)}`);
      this.close(closeReasons.internalError);
    }
    this.noteProgress(bytes.length);
  }

  private noteProgress(bytes: number): void {
    this.frameBytes += bytes;
    if (!this.parser.inFrame) this.frameSince = undefined;
    else if (this.frameSince === undefined || this.frameBytes >= FRAME_PROGRESS) {
      this.frameSince = this.receivedAt;
      this.frameBytes = 0;
    }
  }

  private arrived(frame: Frame): void {
    this.frameSince = undefined;
    if (this.closed) return;
    if (frame.kind !== 'response') return this.inbox.push(frame);
    const pending = this.requests.get(frame.command);
    // A response without a pending request is late or unsolicited. It is ignored, but charged like any other frame.
    if (pending === undefined && !this.options.budget.takeFrame(frame, false)) return this.close(closeReasons.flood);
    this.requests.delete(frame.command);
    pending?.cancel();
    pending?.resolve(frame);
  }
}
