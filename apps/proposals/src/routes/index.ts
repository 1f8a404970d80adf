import { docsRoutes, healthRoutes, metricsRoute, openApiRoute } from '@wrkz/service-kit';
import { LIMITED, PROPOSALS_SERVICE, type ProposalsContext, type ProposalsRoute, UNLIMITED } from './declare';
import { assetRoutes, getAbout, getFeed, getHome, getProposal } from './pages';
import { getProposals } from './proposals';
import { getProposalQrPng, getProposalQrSvg, getQr } from './qr';

/** All routes of the service. */
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
    ...(metrics === undefined ? [] : [metricsRoute(metrics, UNLIMITED)]),
  ];
  routes.push(openApiRoute(PROPOSALS_SERVICE, () => routes, { guards: LIMITED }));
  routes.push(...docsRoutes(PROPOSALS_SERVICE, { routes: () => routes }));
  return [...routes, ...assetRoutes(site)];
}
