import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];
const opened: { close(): unknown }[] = [];

/** A new empty folder, or a path in it. */
export function fresh(name = ''): string {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
  made.push(folder);
  return join(folder, name);
}

/** Registers a resource, which {@link cleanUp} closes. @returns the resource */
export function closing<T extends { close(): unknown }>(resource: T): T {
  opened.push(resource);
  return resource;
}

/** For `afterEach`: closes all registered resources and removes the folders. */
export function cleanUp(): void {
  for (const resource of opened.splice(0).reverse()) resource.close();
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}
