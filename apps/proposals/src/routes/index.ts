import { docsRoutes, healthRoutes, metricsRoute, openApiRoute, type Route } from '@wrkz/service-kit';
import type { ProposalsContext } from '../context';
import { PROPOSALS_SERVICE } from './description';
import { getAbout } from './get-about';
import { assetRoutes } from './get-asset';
import { getFeed } from './get-feed';
import { getHome } from './get-home';
import { getProposal } from './get-proposal';
import { getProposalQrPng, getProposalQrSvg } from './get-proposal-qr';
import { getProposals } from './get-proposals';
import { getQr } from './get-qr';
import { COUNTED, UNCOUNTED } from './route';

export type ProposalsRoute = Route<ProposalsContext, never>;

/** Every route that the program serves. */
export function proposalsRoutes({
  metrics,
  readiness,
  site,
}: Pick<ProposalsContext, 'metrics' | 'readiness' | 'site'>): readonly ProposalsRoute[] {
  const routes: ProposalsRoute[] = [
    getProposals,
    getQr,
    getHome,
    getProposal,
    getProposalQrSvg,
    getProposalQrPng,
    getAbout,
    getFeed,
    ...healthRoutes(readiness),
    ...(metrics === undefined ? [] : [metricsRoute(metrics, UNCOUNTED)]),
  ];
  routes.push(openApiRoute(PROPOSALS_SERVICE, () => routes, { guards: COUNTED }));
  routes.push(...docsRoutes(PROPOSALS_SERVICE, { routes: () => routes }));
  return [...routes, ...assetRoutes(site)];
}
