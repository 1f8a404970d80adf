import { page, table } from './markdown';
import { optionsPage } from './options';
import { errorsPage } from './reference';
import { PRINTED_SERVICES, type PrintedService } from './services';

/** A file below docs/api. */
interface PrintedPage {
  readonly path: string;
  readonly text: string;
}

/** All printed files, in the order of the index page. */
export function printedPages(): PrintedPage[] {
  return [{ path: 'README.md', text: contents() }, ...PRINTED_SERVICES.flatMap(pagesOf)];
}

function pagesOf({ folder, helps, errors = [], reference }: PrintedService): PrintedPage[] {
  const program = `wrkz-${folder}`;
  const files = {
    'options.md': optionsPage(program, helps),
    ...(errors.length > 0 && { 'errors.md': errorsPage(program, errors) }),
    ...reference,
  };
  return Object.entries(files).map(([name, text]) => ({ path: `${folder}/${name}`, text }));
}

function contents(): string {
  const rows = PRINTED_SERVICES.map((service) => {
    const names = pagesOf(service).map(({ path }) => path.slice(service.folder.length + 1));
    const links = (...wanted: readonly string[]): string =>
      wanted
        .filter((name) => names.includes(name))
        .map((name) => `[${name.replace('.md', '')}](${service.folder}/${name})`)
        .join(', ');
    const columns = [links('options.md'), links('reference.md'), links('errors.md')];
    return [`\`wrkz-${service.folder}\``, ...columns, links('openapi.json', 'openrpc.json')];
  });
  return page('API', [
    'Printed from the declarations that the programs run by. Each program also serves them: `/docs` is the page for ' +
      'people, `/openapi.json` (wallet-rpc, and the methods of the daemon: `rpc.discover`) the one for programs.',
    table(['Program', 'Options', 'Routes and methods', 'Errors', 'For programs'], rows),
  ]);
}
