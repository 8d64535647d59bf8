import { describe, expect, test } from "bun:test";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { verifies } from "#test/support/verifies";
import { sectionOf } from "#upstream/credentials/aws-keys";
import { MovedClock, NEVER, opened, REQUEST, ScriptedIssuer, sentWith } from "./scripted-issuer";

const REGION = "eu-west-1";
const SECRET = "secret/of/the/keys+for+tests";

/** What a signature says of who signed: the key's id, and the session's token. */
const signer = async (credential: ReturnType<typeof opened>) => {
  const headers = await credential.authorize(REQUEST, NEVER);
  const id = /Credential=(\w+)\/\d{8}\/eu-west-1\/bedrock\/aws4_request/.exec(headers.get("authorization") ?? "")?.[1];
  return { id, token: headers.get("x-amz-security-token") };
};

const keysAt = (clock: MovedClock, id: string, seconds = 3_600) => ({
  ...{ Code: "Success", AccessKeyId: id, SecretAccessKey: SECRET, Token: `session-of-${id}` },
  Expiration: new Date(clock.ms + seconds * 1_000).toISOString(),
});

const withFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), "guardhouse-keys-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
};

test("keys of a user sign with the id that is known and the secret that is kept", async () => {
  verifies("provider.credential-sources");
  const credential = opened({
    ...{ kind: "bedrock", secret: SECRET },
    credential: { source: "aws-keys", access_key_id: "AKIAFORTESTS", region: REGION },
  });
  expect(await signer(credential)).toEqual({ id: "AKIAFORTESTS", token: null });
  const headers = await credential.authorize(REQUEST, NEVER);
  // Proxies change this one, which would spoil the signature.
  expect(headers.get("authorization")).toContain("SignedHeaders=content-type;host;x-amz-date,");
  expect(headers.get("accept-encoding")).toBe("identity");
  expect(credential.secrets()).toEqual([SECRET]);
});

describe("the shared credentials file", () => {
  const file = (id: string) =>
    `[default]\naws_access_key_id=OTHER\naws_secret_access_key=x\n\n# work\n[ work ]\naws_access_key_id = ${id}\naws_secret_access_key = ${SECRET}\naws_session_token = session-of-${id}\n`;

  test("gives the keys of a profile, and is read again when it was changed", () =>
    withFolder(async (folder) => {
      verifies("provider.credential-sources", "provider.key-files");
      const path = join(folder, "credentials");
      await writeFile(path, file("ONE"));
      const clock = new MovedClock();
      const credential = opened({
        ...{ kind: "bedrock", clock, environment: { AWS_SHARED_CREDENTIALS_FILE: path } },
        credential: { source: "aws-profile", profile: "work", region: REGION },
      });
      expect(await signer(credential)).toEqual({ id: "ONE", token: "session-of-ONE" });
      await writeFile(path, file("TWO"));
      // Of a file system whose times are in seconds.
      await utimes(path, 1_000, 1_000);
      clock.ms += 1_500;
      expect(await signer(credential)).toEqual({ id: "TWO", token: "session-of-TWO" });
    }));

  test("without the profile is an error that names it and no key", () =>
    withFolder(async (folder) => {
      const path = join(folder, "credentials");
      await writeFile(path, file("ONE"));
      const credential = opened({
        ...{ kind: "bedrock", environment: { AWS_SHARED_CREDENTIALS_FILE: path } },
        credential: { source: "aws-profile", profile: "nobody", region: REGION },
      });
      await expect(signer(credential)).rejects.toThrow(
        "The profile nobody has no keys in the shared credentials file.",
      );
    }));

  test("of any text, a section has what stands in it and nothing of others", () => {
    const name = fc.stringMatching(/^[a-z0-9_-]{1,8}$/);
    const value = fc.stringMatching(/^[!-~]([ -~]{0,18}[!-~])?$/);
    const sections = fc.dictionary(name, fc.dictionary(name, value), { noNullPrototype: true });
    fc.assert(
      fc.property(sections, fc.string(), (given, stray) => {
        const text = Object.entries(given)
          .map(([title, fields]) => {
            const lines = Object.entries(fields).map(([key, said]) => `${key} = ${said}`);
            return `[${title}]\r\n# ${stray.replaceAll(/[\r\n]/g, "")}\n${lines.join("\n")}\n`;
          })
          .join("");
        for (const [title, fields] of Object.entries(given)) {
          expect(Object.fromEntries(sectionOf(text, title))).toEqual(fields);
        }
      }),
    );
  });
});

test("STS gives keys for the token of a web identity, which is read from its file each time", () =>
  withFolder(async (folder) => {
    verifies("provider.credential-sources");
    const clock = new MovedClock();
    const path = join(folder, "token");
    await writeFile(path, "first.jwt.token\n");
    using sts = new ScriptedIssuer((_, position) => {
      const { AccessKeyId, Token, Expiration } = keysAt(clock, position === 0 ? "STSONE" : "STSTWO");
      return new Response(
        `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${AccessKeyId}</AccessKeyId><SecretAccessKey>${SECRET}</SecretAccessKey><SessionToken>${Token}</SessionToken><Expiration>${Expiration}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
      );
    });
    const environment = {
      ...{ AWS_WEB_IDENTITY_TOKEN_FILE: path, AWS_ROLE_ARN: "arn:aws:iam::123456789012:role/hub" },
      ...{ AWS_ENDPOINT_URL_STS: sts.url },
    };
    const credential = opened({
      ...{ kind: "bedrock", clock, environment },
      credential: { source: "aws-web-identity", region: REGION },
    });
    expect(await signer(credential)).toEqual({ id: "STSONE", token: "session-of-STSONE" });
    expect(await signer(credential)).toEqual({ id: "STSONE", token: "session-of-STSONE" });
    await writeFile(path, "second.jwt.token\n");
    clock.ms += 3_600_000;
    expect(await signer(credential)).toEqual({ id: "STSTWO", token: "session-of-STSTWO" });
    expect(sts.asked.map(({ form }) => Object.fromEntries(form))).toMatchObject([
      {
        ...{ Action: "AssumeRoleWithWebIdentity", RoleArn: environment.AWS_ROLE_ARN },
        ...{ RoleSessionName: "guardhouse", WebIdentityToken: "first.jwt.token" },
      },
      { WebIdentityToken: "second.jwt.token" },
    ]);
  }));

describe("the agent beside a container", () => {
  test("is asked with its token, and again before its keys end", () =>
    withFolder(async (folder) => {
      verifies("provider.credential-sources", "provider.tokens-renewed");
      const clock = new MovedClock();
      const path = join(folder, "token");
      await writeFile(path, "agent-token");
      using agent = new ScriptedIssuer((_, position) => Response.json(keysAt(clock, `ECS${position}`)));
      const credential = opened({
        ...{ kind: "bedrock", clock, credential: { source: "aws-container", region: REGION } },
        environment: {
          AWS_CONTAINER_CREDENTIALS_FULL_URI: `${agent.url}/v1/credentials?id=1`,
          AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: path,
        },
      });
      expect((await signer(credential)).id).toBe("ECS0");
      expect(agent.asked[0]).toMatchObject({ method: "GET", path: "/v1/credentials?id=1" });
      expect(agent.asked[0]?.headers.get("authorization")).toBe("agent-token");
      clock.ms += 3_400_000;
      // Still good: nobody waits for the next ones.
      expect((await signer(credential)).id).toBe("ECS0");
      while ((await signer(credential)).id === "ECS0") await Bun.sleep(1);
      expect((await signer(credential)).id).toBe("ECS1");
      expect(agent.asked.length).toBe(2);
    }));

  test("is no host of the network by plain http", async () => {
    const environment = { AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://169.254.169.254/latest" };
    const credential = opened({
      kind: "bedrock",
      credential: { source: "aws-container", region: REGION },
      environment,
    });
    await expect(signer(credential)).rejects.toThrow("neither https nor of this machine");
  });
});

describe("instance metadata", () => {
  const imds = (clock: MovedClock) =>
    new ScriptedIssuer(({ method, path, headers }) => {
      if (method === "PUT" && path === "/latest/api/token") return new Response("imds-session");
      if (headers.get("x-aws-ec2-metadata-token") !== "imds-session") return new Response("", { status: 401 });
      if (path.endsWith("/security-credentials/")) return new Response("hub-role\n");
      return path.endsWith("/hub-role") ? Response.json(keysAt(clock, "IMDS")) : new Response("", { status: 404 });
    });

  test("gives the role's keys by its second version alone", async () => {
    verifies("provider.credential-sources");
    const clock = new MovedClock();
    using service = imds(clock);
    const credential = opened({
      ...{ kind: "bedrock", clock, credential: { source: "aws-instance", region: REGION } },
      environment: { AWS_EC2_METADATA_SERVICE_ENDPOINT: `${service.url}/` },
    });
    expect(await signer(credential)).toEqual({ id: "IMDS", token: "session-of-IMDS" });
    expect(service.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "PUT /latest/api/token",
      "GET /latest/meta-data/iam/security-credentials/",
      "GET /latest/meta-data/iam/security-credentials/hub-role",
    ]);
    expect(service.asked[0]?.headers.get("x-aws-ec2-metadata-token-ttl-seconds")).toBe("21600");
    expect([...credential.secrets()]).toEqual([SECRET, "session-of-IMDS"]);
  });

  test("is asked by no credential but its own", async () => {
    verifies("provider.issuer-addresses");
    const clock = new MovedClock();
    using service = imds(clock);
    const environment = {
      ...{ AWS_EC2_METADATA_SERVICE_ENDPOINT: service.url, AWS_CONTAINER_CREDENTIALS_FULL_URI: service.url },
      ...{ GCE_METADATA_HOST: service.host, AZURE_AUTHORITY_HOST: service.url, AWS_ENDPOINT_URL_STS: service.url },
    };
    const key = {
      kind: "bedrock",
      credential: { source: "key" },
      environment,
      clock,
      secret: "key-for-tests",
    } as const;
    expect(await sentWith(opened(key))).toBe("Bearer key-for-tests");
    expect(await sentWith(opened({ kind: "openai", credential: { source: "key" }, environment, clock }))).toBeNull();
    const keys = { source: "aws-keys", access_key_id: "AKIAFORTESTS", region: REGION } as const;
    expect(await signer(opened({ ...key, credential: keys }))).toMatchObject({ id: "AKIAFORTESTS" });
    expect(service.asked).toEqual([]);
  });

  test("that says no is an error of its status, without its words", async () => {
    using service = new ScriptedIssuer(() => new Response("inner secrets", { status: 403 }));
    const credential = opened({
      ...{ kind: "bedrock", credential: { source: "aws-instance", region: REGION } },
      environment: { AWS_EC2_METADATA_SERVICE_ENDPOINT: service.url },
    });
    await expect(sentWith(credential)).rejects.toThrow("The instance metadata service answered with status 403.");
  });
});
