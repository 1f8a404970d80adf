import { countText, dayElement, html, type Fragment, type Markup } from '@wrkz/pages';
import type { ListedProposal } from '../listing';
import type { Category, ProposalStatus } from '../store/proposal';
import type { ProposalCount } from '../store/proposal-reader';
import { emptyPage } from './empty';
import { fundingMeter } from './funding-meter';
import type { PageContent } from './site';
import { CATEGORY_WORDS, categoryLabel, LISTED_STATUSES, STATUS_WORDS, statusLabel } from './words';

/** Proposals on one page. */
export const PER_PAGE = 20;

/** What of the list is shown. */
export interface HomeView {
  readonly status: ProposalStatus | undefined;
  readonly category: Category | undefined;
  /** From 1. */
  readonly page: number;
}

export interface HomeFacts {
  readonly view: HomeView;
  readonly counts: readonly ProposalCount[];
  readonly proposals: readonly { readonly listed: ListedProposal; readonly excerpt: string }[];
}

/** The list of proposals with its filters; what to do first when there is none at all. */
export function homePage({ view, counts, proposals }: HomeFacts): PageContent {
  const listed = counts.filter(({ status }) => status !== 0);
  const total = countOf(listed, view);
  return {
    title: 'Community proposals',
    description: 'What the WrkzCoin community wants to have built, and how far it is funded.',
    at: '/',
    main: html`<h1>Community proposals</h1>
      <p class="lead">
        What the community wants to have built, how far it is funded, and where to send a contribution.
      </p>
      ${counts.length === 0 ? emptyPage() : html`${filters(view, listed)} ${results(view, total, proposals)}`}`,
  };
}

function countOf(counts: readonly ProposalCount[], { status, category }: Partial<HomeView>): number {
  return counts
    .filter((one) => (status === undefined || one.status === status) && (category ?? one.category) === one.category)
    .reduce((sum, { count }) => sum + count, 0);
}

/** Where a view stands. */
export function homePath({ status, category, page = 1 }: Partial<HomeView>): string {
  const query = new URLSearchParams();
  if (status !== undefined) query.set('status', STATUS_WORDS[status].name);
  if (category !== undefined) query.set('cat', category);
  if (page > 1) query.set('page', String(page));
  const text = query.toString();
  return text === '' ? '/' : `/?${text}`;
}

function filters(view: HomeView, counts: readonly ProposalCount[]): Markup {
  const { status, category } = view;
  const categories = Object.keys(CATEGORY_WORDS) as Category[];
  return html`<div class="filters">
    <nav aria-label="Status">
      <ul>
        ${filterLink('All', { category }, status === undefined, countOf(counts, { category }))}
        ${LISTED_STATUSES.map((one) =>
          filterLink(
            STATUS_WORDS[one].label,
            { status: one, category },
            status === one,
            countOf(counts, { status: one, category }),
          ),
        )}
      </ul>
    </nav>
    <nav aria-label="Category">
      <ul class="light">
        ${filterLink('All categories', { status }, category === undefined)}
        ${categories.map((one) => filterLink(CATEGORY_WORDS[one], { status, category: one }, category === one))}
      </ul>
    </nav>
  </div>`;
}

function filterLink(text: string, view: Partial<HomeView>, isCurrent: boolean, count?: number): Markup {
  const number = count !== undefined && html` <span class="count">${count}</span>`;
  return html`<li><a href="${homePath(view)}" ${isCurrent && html` aria-current="true"`}>${text}${number}</a></li>`;
}

function results(view: HomeView, total: number, proposals: HomeFacts['proposals']): Fragment {
  if (proposals.length === 0) {
    return html`<div class="card nothing">
      <h2>${total === 0 ? 'No proposal matches' : 'Nothing on this page'}</h2>
      <p class="muted">There may be some of another status or category.</p>
      <p><a class="button plain" href="/">Show all proposals</a></p>
    </div>`;
  }
  return html`<h2 class="visually-hidden">${countText(total, 'proposal')}</h2>
    <ul class="proposals">
      ${proposals.map(proposalCard)}
    </ul>
    ${pager(view, total)}`;
}

function proposalCard({ listed, excerpt }: HomeFacts['proposals'][number]): Markup {
  const { id, headline, status, category, user, posted } = listed.proposal;
  return html`<li class="card proposal">
    <p class="labels">${statusLabel(status)} ${categoryLabel(category)}</p>
    <h3><a href="/proposal/${id}">${headline}</a></h3>
    <p class="excerpt muted">${excerpt}</p>
    <div class="funds">${fundingMeter(listed)}</div>
    <p class="muted small">by ${user}, ${dayElement(posted)}</p>
  </li>`;
}

function pager(view: HomeView, total: number): Fragment {
  const last = Math.ceil(total / PER_PAGE);
  if (last <= 1) return false;
  const { page } = view;
  return html`<nav class="pager" aria-label="Pages">
    ${page > 1 && html`<a class="button plain" rel="prev" href="${homePath({ ...view, page: page - 1 })}">Newer</a>`}
    <span class="muted">Page ${page} of ${last}</span>
    ${page < last && html`<a class="button plain" rel="next" href="${homePath({ ...view, page: page + 1 })}">Older</a>`}
  </nav>`;
}
