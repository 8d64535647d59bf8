import type { Caller } from "#core/caller";
import { GuardError } from "#core/errors";
import { ACCESS_PREFIX, looksLikeOAuthToken } from "#core/oauth/client";
import { networkOf } from "#engine/attempts";
import type { Directory } from "#engine/directory";
import type { signedIn } from "#http/auth";
import type { BrowserDoor } from "#http/browser";
import { OriginCheck } from "#http/origins";
import type { signedInPerson } from "#http/person";
import { AUTHORIZATION_PATH, at, GATEWAY_PATH, GATEWAY_SCOPE, openDocument, stepUp } from "#http/resource-metadata";
import type { Identity } from "#identity/port";
import { ClientDocuments } from "#modules/oauth/client-documents";
import { Connections } from "#modules/oauth/connections";
import { Consents } from "#modules/oauth/consents";
import { ServerMetadata, serverMetadata } from "#modules/oauth/metadata";
import { Registrations } from "#modules/oauth/registrations";
import { oauthClientRoutes, oauthRoutes } from "#modules/oauth/routes";
import { Tokens } from "#modules/oauth/tokens";
import type { Clock } from "#platform/clock";
import { urlHash } from "#platform/hash";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { Store } from "#store/port";
import type { DocumentFetch } from "#upstream/client-document-port";

export type OAuthDeps = {
  readonly people: { readonly identity: () => Promise<Identity> };
  readonly store: Pick<Store, "oauth">;
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: { readonly bodyBytes: number };
  readonly tools: { readonly allowedOrigins: readonly string[] };
  readonly log: Log;
  readonly clientDocuments: { readonly fetch: DocumentFetch; readonly hosts: readonly string[] };
};

/** Whose access token it is, looked up anew at every call. Throws `insufficient_scope` for one that is good for less. */
export const oauthCallers =
  ({ store, publicUrl, clock }: OAuthDeps, directory: Directory) =>
  (token: string): Caller | null => {
    if (!looksLikeOAuthToken(token) || !token.startsWith(ACCESS_PREFIX)) return null;
    const hash = urlHash(token.slice(ACCESS_PREFIX.length));
    const bearer = store.oauth.verifyBearer(hash, at(publicUrl(), GATEWAY_PATH), clock());
    const user = bearer && directory.activeUser(bearer.user_id);
    if (!user) return null;
    if (!bearer.scopes.includes(GATEWAY_SCOPE)) {
      const headers = { "www-authenticate": stepUp(publicUrl()) };
      throw new GuardError("insufficient_scope", `This takes the scope ${GATEWAY_SCOPE}.`, { headers });
    }
    const { id, client, tools, created_at, expires_at } = bearer;
    const known = { id, hash, display: `${ACCESS_PREFIX}…`, name: client.name, user_id: user.id, agent_id: null };
    return {
      user,
      token: { ...known, state: "active", expires_at, created_at },
      agent: null,
      client: { id: client.id, tools },
    };
  };

/** Whether the grant that a token is of is still there, as it was at that moment. `hash` is of the token without its prefix. */
export const oauthGrants =
  ({ store, publicUrl }: OAuthDeps, directory: Directory) =>
  (hash: string, since: number): boolean => {
    const bearer = store.oauth.verifyBearer(hash, at(publicUrl(), GATEWAY_PATH), since);
    return bearer !== null && directory.activeUser(bearer.user_id) !== null;
  };

type Around = {
  readonly callers: ReturnType<typeof signedIn>;
  readonly browsers: BrowserDoor;
  readonly door: ReturnType<typeof signedInPerson>;
  readonly addressOf: (request: Request) => string | null;
  readonly toolsOf: (userId: string) => readonly string[];
  readonly admit: () => void;
  readonly writeRecord: (line: string) => Promise<void>;
};

/** The authorization server for clients of the tool gateway. */
export const assembleOAuth = (deps: OAuthDeps, around: Around) => {
  const { people, store, publicUrl, clock: now, ids, limits, log } = deps;
  const { callers, browsers, door, addressOf, toolsOf, admit, writeRecord } = around;
  const resource = () => at(publicUrl(), GATEWAY_PATH);
  const issuer = () => at(publicUrl(), AUTHORIZATION_PATH);
  const basics = { store: store.oauth, identity: people.identity, resource, writeRecord, now, ids };
  const registrations = new Registrations(basics);
  const documents = new ClientDocuments({ ...deps.clientDocuments, now, log });
  const document = () => serverMetadata(publicUrl(), documents.isOffered);
  return {
    routes: oauthRoutes({
      ...{ registrations, consents: new Consents({ ...basics, documents, issuer }), tokens: new Tokens(basics) },
      ...{ browsers, door, toolsOf, publicUrl, admit },
      origins: new OriginCheck(publicUrl, deps.tools.allowedOrigins),
      networkOf: (request) => networkOf(addressOf(request)),
    }),
    clientRoutes: oauthClientRoutes({
      connections: new Connections({ store: store.oauth, now, ids }),
      ...{ door, admit, bodyBytes: limits.bodyBytes },
    }),
    metadataRoutes: openDocument(
      { name: "authorization-server", paths: METADATA_PATHS, ...METADATA },
      callers,
      document,
    ),
    /** Where RFC 8414 §3.1 puts it when there is a base path. To be mounted outside of it. */
    insertedMetadataRoutes: (basePath: string) =>
      openDocument(
        {
          name: "authorization-server-inserted",
          paths: WELL_KNOWN.flatMap((path) => [path + basePath, path + basePath + AUTHORIZATION_PATH]),
          ...METADATA,
        },
        callers,
        document,
      ),
    /** To be called a few times a day. */
    sweep: () => registrations.sweep(),
  };
};

/** OpenID's place too: clients that look there only find the same. */
const WELL_KNOWN = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];

const METADATA = { summary: "The authorization server: what it offers, and where", schema: ServerMetadata };
const METADATA_PATHS = WELL_KNOWN.flatMap((path) => [path, path + AUTHORIZATION_PATH, AUTHORIZATION_PATH + path]);
