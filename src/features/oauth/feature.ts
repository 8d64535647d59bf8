import type { ToolRegistryCache } from "#guard/tools/registry-cache";
import type { CookieSessionAuth } from "#http/auth/cookie";
import { type CallerRouteParts, type PersonRouteParts, personRoutes } from "#http/authentication";
import type { OriginCheck } from "#http/origins";
import { feature } from "#hub/feature";
import { single } from "#hub/graph";
import { networkOf } from "#identity/login-throttle";
import type { Identity } from "#identity/port";
import { AUTHORIZATION_PATH, at, GATEWAY_PATH } from "#model/oauth/authorization";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { OAuthStore } from "#store/oauth-port";
import type { DocumentFetch } from "#upstream/outbound-port";
import { OAuthBearers } from "./bearers";
import { ClientDocuments } from "./client-documents";
import { oauthClientRoutes } from "./client-endpoints";
import { Connections } from "./connections";
import { Consents } from "./consents";
import { type Pacing, pacing } from "./fixed-window-limiter";
import { insertedServerMetadata, serverMetadataRoutes } from "./metadata-routes";
import { Registrations } from "./registrations";
import { oauthRoutes } from "./routes";
import { OAuthTokenEndpoint } from "./tokens";

export type ClientDocumentOptions = { readonly fetch: DocumentFetch; readonly hosts: readonly string[] };

type Public = { readonly publicUrl: () => string };
type Storing = { readonly oauth: OAuthStore; readonly now: Clock; readonly ids: Ids };
type Pacers = { readonly oauthPacing: Pacing };
type ServerParts = Public &
  Pacers &
  Storing & {
    readonly people: { readonly identity: () => Promise<Identity> };
    readonly writeRecord: (line: string) => Promise<void>;
  };
type DocumentParts = Pacers & {
  readonly clientDocuments: ClientDocumentOptions;
  readonly now: Clock;
  readonly log: Log;
};
type Documents = { readonly oauthClientDocuments: ClientDocuments };
type Bearing = { readonly oauthBearers: OAuthBearers };
type MetadataParts = CallerRouteParts & Public & Documents;
type RouteParts = PersonRouteParts &
  MetadataParts & {
    readonly registrations: Registrations;
    readonly consents: Consents;
    readonly oauthTokens: OAuthTokenEndpoint;
    readonly oauthConnections: Connections;
    readonly cookieAuth: CookieSessionAuth;
    readonly origins: OriginCheck;
    readonly toolRegistry: ToolRegistryCache;
    readonly addressOf: (request: Request) => string | null;
  };

const basics = ({ oauth: store, people, writeRecord, now, ids, publicUrl, oauthPacing: pacing }: ServerParts) => ({
  store,
  identity: people.identity,
  writeRecord,
  pacing,
  now,
  ids,
  resource: () => at(publicUrl(), GATEWAY_PATH),
});

/** The authorization server for clients of the tool gateway. */
export const oauth = feature({
  provides: {
    oauthBearers: single(OAuthBearers),
    oauthCaller: (c: Bearing) => (token: string) => c.oauthBearers.authenticate(token),
    isGranted: (c: Bearing) => (hash: string, since: number) => c.oauthBearers.isGranted(hash, since),
    oauthPacing: (c: Parameters<typeof pacing>[0]) => pacing(c),
    registrations: (c: ServerParts) => new Registrations(basics(c)),
    oauthClientDocuments: ({ clientDocuments, oauthPacing: pacing, now, log }: DocumentParts) =>
      new ClientDocuments({ ...clientDocuments, pacing, now, log }),
    consents: (c: ServerParts & Documents) =>
      new Consents({
        ...basics(c),
        documents: c.oauthClientDocuments,
        issuer: () => at(c.publicUrl(), AUTHORIZATION_PATH),
      }),
    oauthTokens: (c: ServerParts & Bearing) =>
      new OAuthTokenEndpoint({ ...basics(c), onRevoked: () => c.oauthBearers.apply() }),
    oauthConnections: ({ oauth: store, now, ids }: Storing) => new Connections({ store, now, ids }),
  },
  onChange: (c: Bearing) => c.oauthBearers,
  routes: (c: RouteParts) => [
    oauthRoutes({
      ...personRoutes(c),
      registrations: c.registrations,
      consents: c.consents,
      tokens: c.oauthTokens,
      origins: c.origins,
      cookieAuth: c.cookieAuth,
      publicUrl: c.publicUrl,
      toolsOf: (userId) => c.toolRegistry.approvedNamesOf(userId),
      networkOf: (request) => networkOf(c.addressOf(request)),
    }),
    oauthClientRoutes({ ...personRoutes(c), connections: c.oauthConnections }),
    serverMetadataRoutes(metadataParts(c)),
  ],
  outerRoutes: (c: MetadataParts) => insertedServerMetadata(metadataParts(c)),
});

const metadataParts = ({ callerAuth: auth, publicUrl, oauthClientDocuments: documents }: MetadataParts) => ({
  auth,
  publicUrl,
  documents,
});
