/** The requests that wait for jobs to end. One waiting request costs a timer and two map entries, no thread. */
export class Waiters {
  private readonly byId = new Map<string, Set<() => void>>();

  /** Resolves when `wake(id)` or `wakeAll()` is called, after `ms`, or when `signal` fires, whichever is first. */
  wait(id: string, ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        const set = this.byId.get(id);
        set?.delete(finish);
        if (set?.size === 0) this.byId.delete(id);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      signal.addEventListener('abort', finish, { once: true });
      const set = this.byId.get(id) ?? new Set();
      this.byId.set(id, set.add(finish));
    });
  }

  wake(id: string): void {
    for (const finish of [...(this.byId.get(id) ?? [])]) finish();
  }

  wakeAll(): void {
    for (const id of [...this.byId.keys()]) this.wake(id);
  }

  /** Whether somebody waits for a job here. */
  has(id: string): boolean {
    return this.byId.has(id);
  }

  /** The jobs that somebody waits for here. */
  ids(): string[] {
    return [...this.byId.keys()];
  }
}
