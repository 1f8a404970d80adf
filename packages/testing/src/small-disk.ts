import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether a tmpfs can be mounted here in a separate mount namespace, which requires root. */
export const canMount = (): boolean =>
  process.platform === 'linux' &&
  spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs none /mnt && command -v nsenter'], { stdio: 'ignore' })
    .status === 0;

/** A small disk, mounted at `path` in its mount namespace; other processes reach it at `outside`. */
export class SmallDisk {
  private constructor(
    private readonly holder: ChildProcess,
    readonly path: string,
    readonly outside: string,
  ) {}

  static async mount(bytes: number): Promise<SmallDisk> {
    const path = mkdtempSync(join(tmpdir(), 'wrkz-disk-'));
    const script = 'mount -t tmpfs -o size="$1" none "$2" && echo mounted && exec sleep 100000';
    const holder = spawn('unshare', ['-m', 'sh', '-c', script, 'sh', String(bytes), path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    return new SmallDisk(holder, path, `/proc/${String(holder.pid)}/root${path}`);
  }

  /** Prefix command that runs another one in the mount namespace. */
  get enter(): readonly [string, ...string[]] {
    return ['nsenter', '-t', String(this.holder.pid), '-m'];
  }

  get free(): number {
    const { bavail, bsize } = statfsSync(this.outside);
    return bavail * bsize;
  }

  /** Fills the disk until this number of bytes is free. @returns a function that frees the space again */
  fill(left: number, name = 'filler'): () => void {
    const filler = join(this.outside, name);
    try {
      writeFileSync(filler, Buffer.alloc(Math.max(0, this.free - left)));
    } catch (error) {
      // Another writer has filled the disk.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
    return () => rmSync(filler);
  }

  async unmount(): Promise<void> {
    this.holder.kill('SIGKILL');
    if (this.holder.exitCode === null && this.holder.signalCode === null) await once(this.holder, 'exit');
    rmSync(this.path, { recursive: true });
  }
}
