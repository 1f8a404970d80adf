/**
 * `import-snapshot.ts <file> <directory> <lite height> <digest>`: imports a snapshot, prints a line for each progress report,
 * and `end` at the end. `import-snapshot.ts <file> <directory of a full database> <lite height>` exports a snapshot to the file.
 * Tests kill it at any time.
 */
import { exportSnapshot, importSnapshot, openChainDb } from '../../src';

const [path = '', directory = '', height, digest] = process.argv.slice(2);
const liteHeight = Number(height);
const report = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  report('open');
  if (digest !== undefined) {
    await importSnapshot({
      ...{ path, directory, network: 'devnet', liteHeight, accepted: [digest] },
      onProgress: (phase) => report(phase),
    });
  } else {
    const { reader } = openChainDb({ directory, network: 'devnet', readonly: true });
    await exportSnapshot({ reader, network: 'devnet', liteHeight, path, onProgress: ({ table }) => report(table) });
  }
  report('end');
}

void main();
