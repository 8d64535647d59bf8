import { importPKCS8, SignJWT } from "jose";
import { type ServiceAccount, serviceAccountOf } from "#model/provider";
import type { Clock } from "#platform/clock";
import { type CredentialEnvironment, CredentialFailure } from "#upstream/port";
import { accessToken, form, type Issuer, jsonFrom } from "./issuer";
import { Renewed } from "./renewed";
import type { Secret } from "./secret";

/** Cloud APIs, Vertex AI among them: developers.google.com/identity/protocols/oauth2/scopes. */
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
/** The longest Google allows an assertion to be good for. */
const ASSERTION_SECONDS = 3_600;

type ServiceAccountNeeds = { readonly secret: Secret; readonly fetch: Issuer["fetch"]; readonly now: Clock };

/** Access tokens for an assertion that is signed with the account's key, RFC 7523. */
export const serviceAccountToken = ({ secret, fetch, now }: ServiceAccountNeeds): Renewed<string> => {
  const issuer: Issuer = { called: "Google's token endpoint", fetch };
  const issue = async () => {
    const account = serviceAccountOf(await secret.read());
    if (account === null) throw new CredentialFailure("The key is not the JSON key file of a service account.");
    const assertion = await assertionOf(account, now());
    const grant = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
    return accessToken(issuer, await jsonFrom(issuer, account.tokenUrl, form(grant)), now());
  };
  return new Renewed({ issue, now });
};

const assertionOf = async ({ email, privateKey, keyId, tokenUrl }: ServiceAccount, now: number): Promise<string> => {
  const seconds = Math.floor(now / 1_000);
  try {
    const key = await importPKCS8(privateKey, "RS256");
    return await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(keyId !== null && { kid: keyId }) })
      .setIssuer(email)
      .setAudience(tokenUrl)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + ASSERTION_SECONDS)
      .sign(key);
  } catch (cause) {
    throw new CredentialFailure("The private key of the service account is not an RSA key in PKCS #8.", { cause });
  }
};

type MetadataNeeds = {
  readonly fetch: Issuer["fetch"];
  readonly environment: CredentialEnvironment;
  readonly now: Clock;
};

/** Access tokens of the service account the machine runs as. `GCE_METADATA_HOST` is what Google's SDKs read as well. */
export const metadataToken = ({ fetch, environment, now }: MetadataNeeds): Renewed<string> => {
  const issuer: Issuer = { called: "Google's metadata server", fetch };
  const host = environment["GCE_METADATA_HOST"] || "metadata.google.internal";
  const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/token`;
  const issue = async () => {
    const body = await jsonFrom(issuer, url, { headers: { "metadata-flavor": "Google" } });
    return accessToken(issuer, body, now());
  };
  return new Renewed({ issue, now });
};
