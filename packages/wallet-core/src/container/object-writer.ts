import { stringifyJson } from '@wrkz/service-kit/base';

export type UnknownByPath = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** Writes an object with its known members, those that are undefined left out, and what a file held besides, sorted by name. */
export class ObjectWriter {
  private readonly others: Readonly<Record<string, unknown>> | undefined;

  constructor(unknown: UnknownByPath, path: string) {
    this.others = unknown.size === 0 ? undefined : unknown.get(path);
  }

  /** For objects that may be large. @param names of the members, sorted */
  *object<Name extends string>(
    names: readonly Name[],
    members: Readonly<Record<Name, (() => Generator<string, void>) | undefined>>,
  ): Generator<string, void> {
    let separator = '{';
    for (const name of this.allNames(names)) {
      const known = isOneOf(names, name);
      const pieces = known ? members[name] : undefined;
      if (known && pieces === undefined) continue;
      yield `${separator}${JSON.stringify(name)}:`;
      if (pieces !== undefined) yield* pieces();
      else yield stringifyJson(this.others?.[name]);
      separator = ',';
    }
    yield '}';
  }

  /** For the many small ones. @param members their JSON */
  text<Name extends string>(names: readonly Name[], members: Readonly<Record<Name, string | undefined>>): string {
    let text = '';
    for (const name of this.allNames(names)) {
      const value = isOneOf(names, name) ? members[name] : stringifyJson(this.others?.[name]);
      if (value === undefined) continue;
      text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:${value}`;
    }
    return `${text}}`;
  }

  private allNames(known: readonly string[]): readonly string[] {
    if (this.others === undefined) return known;
    const others = Object.keys(this.others).filter((name) => !known.includes(name));
    return [...known, ...others].sort();
  }
}

function isOneOf<Name extends string>(names: readonly Name[], name: string): name is Name {
  return (names as readonly string[]).includes(name);
}
