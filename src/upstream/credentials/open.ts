import { type ProviderCredential, type ProviderKind, SOURCE_RULES } from "#model/provider";
import type { Clock } from "#platform/clock";
import type { GuardedFetch } from "#upstream/guarded-fetch";
import { type Credential, type CredentialEnvironment, CredentialFailure } from "#upstream/port";
import { containerKeys, instanceKeys, profileKeys, staticKeys, webIdentityKeys } from "./aws-keys";
import { AwsCredential } from "./aws-signature";
import { entraToken } from "./entra";
import { metadataToken, serviceAccountToken } from "./google";
import { KeyCredential, type KeyHeader, NO_CREDENTIAL, TokenCredential } from "./header-credential";
import { keptSecret, type Secret, SecretFile } from "./secret";

export type CredentialNeeds = {
  readonly kind: ProviderKind;
  readonly credential: ProviderCredential;
  /** The secret that is kept, opened; null for none. */
  readonly secret: string | null;
  /** For issuers whose address stands in what somebody gave. */
  readonly given: GuardedFetch;
  /** For those of the clouds and of this machine. */
  readonly known: GuardedFetch;
  readonly environment: CredentialEnvironment;
  readonly now: Clock;
};

const HEADERS: Readonly<Record<ProviderKind, KeyHeader>> = {
  openai: "authorization",
  anthropic: "x-api-key",
  azure: "api-key",
  bedrock: "authorization",
  vertex: "authorization",
};

const secretOf = ({ credential, secret, now }: CredentialNeeds): Secret | null => {
  if (credential.secret_file !== undefined) return new SecretFile(credential.secret_file, now);
  return secret === null ? null : keptSecret(secret);
};

/** What a provider's credential is made of. Nothing is asked for before the first request. */
export const openCredential = (needs: CredentialNeeds): Credential => {
  const { kind, credential } = needs;
  const secret = secretOf(needs);
  if (credential.source === "key") return secret === null ? NO_CREDENTIAL : new KeyCredential(secret, HEADERS[kind]);
  if (SOURCE_RULES[credential.source].secret === "needed" && secret === null) return missing("It has no key.");
  return credential.source.startsWith("aws-") ? awsCredential(needs, secret) : tokenCredential(needs, secret);
};

const tokenCredential = (needs: CredentialNeeds, secret: Secret | null): Credential => {
  const { credential, given, known: fetch, environment, now } = needs;
  const { source, tenant_id: tenantId = "", client_id: clientId = "" } = credential;
  if (source === "metadata-server") return new TokenCredential(metadataToken({ fetch, environment, now }));
  if (secret === null) return missing("It has no key.");
  if (source === "service-account") return new TokenCredential(serviceAccountToken({ secret, fetch: given, now }));
  return new TokenCredential(entraToken({ tenantId, clientId, secret, fetch, environment, now }));
};

const awsCredential = (needs: CredentialNeeds, secret: Secret | null): Credential => {
  const { credential, known: fetch, environment, now } = needs;
  const { region } = credential;
  if (region === undefined) return missing("It has no region.");
  const source = { region, fetch, environment, now };
  const keys = () => {
    switch (credential.source) {
      case "aws-keys":
        return secret === null ? null : staticKeys(credential.access_key_id ?? "", secret, source);
      case "aws-profile":
        return profileKeys(credential.profile ?? null, source);
      case "aws-web-identity":
        return webIdentityKeys(source);
      case "aws-container":
        return containerKeys(source);
      case "aws-instance":
        return instanceKeys(source);
      default:
        return null;
    }
  };
  const found = keys();
  return found === null ? missing("It has no keys of AWS.") : new AwsCredential({ keys: found, region, now });
};

/** A row that no longer says enough: its calls fail, and the hub goes on. */
const missing = (message: string): Credential => ({
  authorize: () => {
    throw new CredentialFailure(message);
  },
  renew: async () => false,
  secrets: () => [],
});
