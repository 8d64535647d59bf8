import type { ToolServer } from "#model/tools/tool";
import { credentialsOf, NO_CLIENT } from "./credentials";
import { ClientCredentialsAuthorization } from "./oauth-client-credentials";
import { CodeAuthorization } from "./oauth-code";
import type { UpstreamOAuthNeeds } from "./oauth-grant";
import type { ToolAuthorization } from "./port";

/** How requests to this server are authorised. Reads its credentials when it is first needed. */
export const authorizationFor = (server: ToolServer, deps: UpstreamOAuthNeeds): ToolAuthorization => {
  let made: ToolAuthorization | null = null;
  const get = (): ToolAuthorization => {
    made ??= make(server, deps);
    return made;
  };
  return { headers: () => get().headers(), refused: async (response) => get().refused(response) };
};

const make = (server: ToolServer, deps: UpstreamOAuthNeeds): ToolAuthorization => {
  const credentials = credentialsOf(server, deps.open);
  switch (credentials?.kind) {
    case undefined:
      // A sign-in needs nothing configured.
      return server.credential_kind === "authorization_code"
        ? new CodeAuthorization(server, NO_CLIENT, deps)
        : fixed({});
    case "environment":
      return fixed({}); // for programs: nothing is sent
    case "headers":
      return fixed(credentials.headers);
    case "client_credentials":
      return new ClientCredentialsAuthorization(server, credentials, deps);
    case "authorization_code":
      return new CodeAuthorization(server, credentials, deps);
  }
};

const fixed = (headers: Readonly<Record<string, string>>): ToolAuthorization => ({
  headers: () => headers,
  refused: async () => false,
});
