import { html, isoTime, type Markup } from '@wrkz/pages';
import type { ListedProposal } from '../listing';
import type { Site } from './site';
import { CATEGORY_WORDS, STATUS_WORDS } from './words';

export const FEED_TYPE = 'application/atom+xml; charset=utf-8';
/** Entries of the feed. */
export const FEED_LENGTH = 30;

export interface AtomEntry {
  readonly listed: ListedProposal;
  readonly html: string;
}

/** The same escaping, and a name by which nobody takes it for HTML. */
const xml = html;

/** The newest proposals as an Atom feed. Ids stay the same wherever the site stands. */
export function atomFeed(site: Site, entries: readonly AtomEntry[]): string {
  const { network } = site.options;
  const newest = entries[0]?.listed.proposal.posted ?? 0;
  const feed = xml`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
  <title>${site.name}</title>
  <subtitle>What the community wants to have built</subtitle>
  <id>urn:wrkz:proposals:${network}</id>
  <updated>${isoTime(newest)}</updated>
  <link rel="self" type="application/atom+xml" href="${site.url('/feed.xml')}"/>
  <link rel="alternate" type="text/html" href="${site.url('/')}"/>
  <generator>wrkz-proposals</generator>
${entries.map((entry) => feedEntry(site, entry))}</feed>
`;
  return `<?xml version="1.0" encoding="utf-8"?>\n${feed.toString()}`;
}

function feedEntry(site: Site, { listed, html: text }: AtomEntry): Markup {
  const { id, headline, user, posted, category, status } = listed.proposal;
  return xml`  <entry>
    <title>${headline}</title>
    <id>urn:wrkz:proposal:${site.options.network}:${id}</id>
    <published>${isoTime(posted)}</published>
    <updated>${isoTime(posted)}</updated>
    <author><name>${user}</name></author>
    <category term="${category}" label="${CATEGORY_WORDS[category]}"/>
    <category term="${STATUS_WORDS[status].name}" label="${STATUS_WORDS[status].label}"/>
    <link rel="alternate" type="text/html" href="${site.url(`/proposal/${id}`)}"/>
    <content type="html">${text}</content>
  </entry>
`;
}
