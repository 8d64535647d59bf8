import type { Clock } from "#platform/clock";
import type { CredentialEnvironment } from "#upstream/port";
import { accessToken, form, type Issuer, jsonFrom } from "./issuer";
import { Renewed } from "./renewed";
import type { Secret } from "./secret";

type EntraNeeds = {
  readonly tenantId: string;
  readonly clientId: string;
  readonly secret: Secret;
  readonly fetch: Issuer["fetch"];
  readonly environment: CredentialEnvironment;
  readonly now: Clock;
};

/** Of the public cloud; `AZURE_AUTHORITY_HOST` names another, as for Microsoft's own SDKs. */
const AUTHORITY = "https://login.microsoftonline.com";
/** What Azure OpenAI asks for: learn.microsoft.com/azure/ai-services/openai/how-to/managed-identity. */
const SCOPE = "https://cognitiveservices.azure.com/.default";

/** Access tokens of Microsoft Entra by client credentials, RFC 6749 §4.4. */
export const entraToken = ({ tenantId, clientId, secret, fetch, environment, now }: EntraNeeds): Renewed<string> => {
  const issuer: Issuer = { called: "Microsoft Entra", fetch };
  const authority = (environment["AZURE_AUTHORITY_HOST"] || AUTHORITY).replace(/\/+$/, "");
  const url = `${authority}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
  const issue = async () => {
    const client = { client_id: clientId, client_secret: await secret.read() };
    const body = await jsonFrom(issuer, url, form({ grant_type: "client_credentials", ...client, scope: SCOPE }));
    return accessToken(issuer, body, now());
  };
  return new Renewed({ issue, now });
};
