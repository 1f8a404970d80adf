import { readFixture } from '@wrkz/testing/fixtures';

/** The lines of one `## <title...>` section of the recorded primitives; the title is matched by its beginning. */
export function primitives(title: string): string[] {
  const sections = readFixture('mainnet/primitives.txt').split(/^## /m);
  const section = sections.find((text) => text.startsWith(title));
  if (section === undefined) throw new Error(`no section ${title} in the primitives`);
  return section
    .split('\n')
    .slice(1)
    .filter((line) => line !== '');
}

/** The named inputs I0 to I4 of the primitives. */
function primitiveInputs(): Map<string, Buffer> {
  return new Map(primitives('inputs').map((line) => [line.slice(0, 2), Buffer.from(line.split('= ')[1] ?? '', 'hex')]));
}

/** The `I<n> ... -> <hash>` lines of a section as input and expected hash. */
export function primitiveHashes(title: string): { name: string; data: Buffer; hash: string }[] {
  const inputs = primitiveInputs();
  return primitives(title).map((line) => {
    const name = line.slice(0, 2);
    const data = inputs.get(name);
    if (data === undefined) throw new Error(`unknown input ${name}`);
    return { name, data, hash: line.split('-> ')[1] ?? '' };
  });
}
