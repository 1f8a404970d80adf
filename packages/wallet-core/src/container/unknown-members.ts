import type { ContainerMembers } from './members';

/** Collects what this program does not know, so that it is written back as it was. */
export class UnknownMembers {
  private readonly found = new Map<string, Readonly<Record<string, unknown>>>();
  private readonly known = new WeakMap<readonly string[], ReadonlySet<string>>();

  /** Looks at one object. Of two under one path the first counts. */
  noteUnknown(members: ContainerMembers, names: readonly string[], path: () => string): void {
    let known = this.known.get(names);
    if (known === undefined) this.known.set(names, (known = new Set(names)));
    const others = members.others(known);
    if (others === undefined) return;
    const where = path();
    if (!this.found.has(where)) this.found.set(where, others);
  }

  all(): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
    return this.found;
  }
}
