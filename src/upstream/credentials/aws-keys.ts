import type { JsonRecord } from "#core/json/json";
import type { Clock } from "#platform/clock";
import { type CredentialEnvironment, CredentialFailure } from "#upstream/port";
import type { AwsKeys } from "./aws-signature";
import { fieldOf, form, type Issuer, jsonFrom, textFrom, unreadable } from "./issuer";
import { type Issued, Renewed } from "./renewed";
import { type Secret, SecretFile } from "./secret";

/*
 * Where keys of AWS come from. Variables have the names that AWS's own SDKs read:
 * docs.aws.amazon.com/sdkref/latest/guide/settings-reference.html.
 */

export type AwsSourceNeeds = {
  readonly region: string;
  readonly fetch: Issuer["fetch"];
  readonly environment: CredentialEnvironment;
  readonly now: Clock;
};

const FOREVER = Number.POSITIVE_INFINITY;
/** Keys without an end are looked at again, since their file may have changed. Milliseconds. */
const FILE_MS = 1_000;

/** Keys of a user of IAM. */
export const staticKeys = (accessKeyId: string, secret: Secret, { now }: Pick<AwsSourceNeeds, "now">) => {
  const issue = async (): Promise<Issued<AwsKeys>> => {
    const secretAccessKey = await secret.read();
    const expiresAt = secret.isKept ? FOREVER : now() + FILE_MS;
    return { value: { accessKeyId, secretAccessKey, sessionToken: null }, expiresAt };
  };
  return new Renewed({ issue, now });
};

/** Keys that stand in the shared credentials file: sections in brackets, one `name = value` a line. */
export const profileKeys = (profile: string | null, { environment, now }: AwsSourceNeeds) => {
  const path = environment["AWS_SHARED_CREDENTIALS_FILE"] || `${environment["HOME"] ?? ""}/.aws/credentials`;
  const name = profile ?? (environment["AWS_PROFILE"] || "default");
  const file = new SecretFile(path, now);
  const issue = async (): Promise<Issued<AwsKeys>> => {
    const section = sectionOf(await file.read(), name);
    const accessKeyId = section.get("aws_access_key_id");
    const secretAccessKey = section.get("aws_secret_access_key");
    if (accessKeyId === undefined || secretAccessKey === undefined) {
      throw new CredentialFailure(`The profile ${name} has no keys in the shared credentials file.`);
    }
    const sessionToken = section.get("aws_session_token") ?? null;
    return { value: { accessKeyId, secretAccessKey, sessionToken }, expiresAt: now() + FILE_MS };
  };
  return new Renewed({ issue, now });
};

/** The settings of one section; none where there is no such section. */
export const sectionOf = (text: string, wanted: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  let isWanted = false;
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[\s*([^\]]*?)\s*\]/.exec(line)?.[1];
    if (header !== undefined) isWanted = header === wanted;
    else if (isWanted && !/^\s*[#;]/.test(line)) {
      const at = line.indexOf("=");
      if (at > 0) found.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim());
    }
  }
  return found;
};

/** Of AWS's partitions that have one of their own. */
const DOMAINS = [
  ["cn-", "amazonaws.com.cn"],
  ["eusc-", "amazonaws.eu"],
] as const;

/** STS, AssumeRoleWithWebIdentity: what EKS gives a pod by IAM roles for service accounts. */
export const webIdentityKeys = ({ region, fetch, environment, now }: AwsSourceNeeds) => {
  const issuer: Issuer = { called: "AWS STS", fetch };
  const domain = DOMAINS.find(([of]) => region.startsWith(of))?.[1] ?? "amazonaws.com";
  const url = environment["AWS_ENDPOINT_URL_STS"] || `https://sts.${region}.${domain}/`;
  const path = environment["AWS_WEB_IDENTITY_TOKEN_FILE"];
  const token = path === undefined ? null : new SecretFile(path, now);
  const issue = async (): Promise<Issued<AwsKeys>> => {
    const role = environment["AWS_ROLE_ARN"];
    if (token === null || role === undefined) {
      throw new CredentialFailure("AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE are not set.");
    }
    const fields = {
      Action: "AssumeRoleWithWebIdentity",
      Version: "2011-06-15",
      RoleArn: role,
      RoleSessionName: environment["AWS_ROLE_SESSION_NAME"] || "guardhouse",
      WebIdentityToken: await token.read(),
    };
    return issuedBy(issuer, fromXml(await textFrom(issuer, url, form(fields))));
  };
  return new Renewed({ issue, now });
};

/** The fields of STS's answer, which is XML: their values are of letters that XML never escapes. */
const fromXml = (text: string): JsonRecord => {
  const names = { AccessKeyId: "AccessKeyId", SecretAccessKey: "SecretAccessKey", SessionToken: "Token" } as const;
  const field = (name: string) => new RegExp(`<${name}>\\s*([^<&\\s]+)\\s*</${name}>`).exec(text)?.[1];
  const found = Object.entries(names).map(([name, as]) => [as, field(name)] as const);
  return { ...Object.fromEntries(found), Expiration: field("Expiration") };
};

/** Link-local addresses that only the machine's own agent answers at: ECS, EKS Pod Identity. */
const CONTAINER_HOSTS = ["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]", "127.0.0.1", "localhost", "[::1]"];

/** The agent of ECS or EKS beside the container. */
export const containerKeys = ({ fetch, environment, now }: AwsSourceNeeds) => {
  const issuer: Issuer = { called: "The container's credentials endpoint", fetch };
  const tokenFile = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"];
  const file = tokenFile === undefined ? null : new SecretFile(tokenFile, now);
  const issue = async (): Promise<Issued<AwsKeys>> => {
    const url = containerUrl(environment);
    const token = file === null ? environment["AWS_CONTAINER_AUTHORIZATION_TOKEN"] : await file.read();
    const headers = token === undefined ? {} : { authorization: oneLine(token) };
    return issuedBy(issuer, await jsonFrom(issuer, url, { headers }));
  };
  return new Renewed({ issue, now });
};

const oneLine = (token: string): string => {
  if (!/^[\x20-\x7e]+$/.test(token))
    throw new CredentialFailure("The container's authorization token is not one line.");
  return token;
};

const containerUrl = (environment: CredentialEnvironment): string => {
  const relative = environment["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"];
  if (relative?.startsWith("/")) return `http://169.254.170.2${relative}`;
  const full = URL.parse(environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"] ?? "");
  if (full === null) throw new CredentialFailure("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and _FULL_URI are not set.");
  const isKnown = full.protocol === "https:" || (full.protocol === "http:" && CONTAINER_HOSTS.includes(full.hostname));
  if (!isKnown) throw new CredentialFailure("AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor of this machine.");
  return full.href;
};

const INSTANCE_URL = "http://169.254.169.254";
const SESSION_SECONDS = "21600";

/** The instance's role, by IMDSv2 alone: its first version answers any process that can be made to request a URL (SSRF). */
export const instanceKeys = ({ fetch, environment, now }: AwsSourceNeeds) => {
  const issuer: Issuer = { called: "The instance metadata service", fetch };
  const base = (environment["AWS_EC2_METADATA_SERVICE_ENDPOINT"] || INSTANCE_URL).replace(/\/+$/, "");
  const issue = async (): Promise<Issued<AwsKeys>> => {
    const asked = { method: "PUT", headers: { "x-aws-ec2-metadata-token-ttl-seconds": SESSION_SECONDS } };
    const session = oneLine((await textFrom(issuer, `${base}/latest/api/token`, asked)).trim());
    const headers = { "x-aws-ec2-metadata-token": session };
    const roles = `${base}/latest/meta-data/iam/security-credentials/`;
    const role = (await textFrom(issuer, roles, { headers })).trim().split("\n")[0] ?? "";
    if (!/^[\w+=,.@-]{1,128}$/.test(role)) throw new CredentialFailure("The instance has no role.");
    return issuedBy(issuer, await jsonFrom(issuer, roles + role, { headers }));
  };
  return new Renewed({ issue, now });
};

const issuedBy = (issuer: Issuer, body: JsonRecord): Issued<AwsKeys> => {
  const expiresAt = Date.parse(String(body["Expiration"]));
  if (Number.isNaN(expiresAt)) throw unreadable(issuer);
  const value = {
    accessKeyId: fieldOf(issuer, body, "AccessKeyId"),
    secretAccessKey: fieldOf(issuer, body, "SecretAccessKey"),
    sessionToken: fieldOf(issuer, body, "Token"),
  };
  return { value, expiresAt };
};
