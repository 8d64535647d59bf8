import { COMMANDS, commandLine } from "#core/command-line";
import type { JsonRecord } from "#core/json/json";
import { AUTHORIZATION_PATH, at, GATEWAY_SCOPE } from "#model/oauth/authorization";

/** The ways to say who one is. Routes name the ones that open them. */
export const securitySchemes = (publicUrl: string): JsonRecord => {
  const issuer = at(publicUrl, `${AUTHORIZATION_PATH}/oauth2`);
  return {
    gatewayToken: {
      type: "http",
      scheme: "bearer",
      description: "A gateway token, gw-live-…: of a user, or of one of their agents.",
    },
    xApiKey: {
      type: "apiKey",
      in: "header",
      name: "x-api-key",
      description: "The same gateway token, in the header of Anthropic clients.",
    },
    apiKey: {
      type: "apiKey",
      in: "header",
      name: "api-key",
      description: "The same gateway token, in the header of Azure clients.",
    },
    session: {
      type: "http",
      scheme: "bearer",
      description: `A person's session key, gw-sess-…: \`${commandLine(COMMANDS.createSession())}\` creates one.`,
    },
    browser: {
      type: "apiKey",
      in: "cookie",
      name: "hub.session_token",
      description: "A signed-in browser. Changes are accepted only from pages of the hub.",
    },
    oauth: {
      type: "oauth2",
      description: "An IDE or another OAuth client that a user has authorized. PKCE with S256; no client secret.",
      flows: {
        authorizationCode: {
          authorizationUrl: `${issuer}/authorize`,
          tokenUrl: `${issuer}/token`,
          refreshUrl: `${issuer}/token`,
          scopes: { [GATEWAY_SCOPE]: "List and call the tools the person allowed." },
        },
      },
    },
  };
};
