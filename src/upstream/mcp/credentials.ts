import { parseJson } from "#core/json/json";
import { Shape, type Static, Type } from "#core/schema";
import { credentialsPurpose, type ToolServer } from "#model/tools/tool";
import type { Sealing } from "#platform/sealing";
import { ToolFailure } from "#upstream/tool-port";

const Nullable = Type.Union([Type.String(), Type.Null()]);
const Headers = Type.Object({ kind: Type.Literal("headers"), headers: Type.Record(Type.String(), Type.String()) });
const Environment = Type.Object({
  kind: Type.Literal("environment"),
  variables: Type.Record(Type.String(), Type.String()),
});
const ClientCredentials = Type.Object({
  kind: Type.Literal("client_credentials"),
  client_id: Type.String(),
  client_secret: Type.String(),
  scope: Nullable,
});
const AuthorizationCode = Type.Object({
  kind: Type.Literal("authorization_code"),
  client_id: Nullable,
  client_secret: Nullable,
  scope: Nullable,
});

export type ClientCredentials = Static<typeof ClientCredentials>;
export type AuthorizationCode = Static<typeof AuthorizationCode>;

/** A sign-in needs nothing configured: the hub registers itself. */
export const NO_CLIENT: AuthorizationCode = {
  kind: "authorization_code",
  client_id: null,
  client_secret: null,
  scope: null,
};

const isKnown = new Shape(Type.Union([Headers, Environment, ClientCredentials, AuthorizationCode]));

/** Opens a secret sealed for a purpose, see `platform/sealing.ts`. */
export type Open = Sealing["unseal"];

/** `ToolCredentials`, checked: what is stored may be older than this program. Null for none. */
export const credentialsOf = (server: ToolServer, open: Open) => {
  if (server.sealed_credentials === null) return null;
  const stored = parseJson(opened(server, server.sealed_credentials, open));
  if (isKnown.fits(stored)) return stored;
  throw unreadable(server);
};

const opened = (server: ToolServer, sealed: string, open: Open): string => {
  try {
    return open(credentialsPurpose(server.id), sealed);
  } catch (cause) {
    throw unreadable(server, cause);
  }
};

/** Most often the master key is another one than they were sealed with. */
const unreadable = ({ slug }: ToolServer, cause?: unknown): ToolFailure =>
  new ToolFailure("unauthorized", `The credentials of ${slug} cannot be read. Set them again.`, false, cause);
