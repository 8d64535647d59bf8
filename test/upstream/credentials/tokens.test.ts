import { describe, expect, test } from "bun:test";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import { verifies } from "#test/support/verifies";
import { openCredential } from "#upstream/credentials/open";
import { Renewed } from "#upstream/credentials/renewed";
import { guardedFetch } from "#upstream/guarded-fetch";
import { plainFetch } from "#upstream/plain-fetch";
import { MovedClock, NEVER, opened, ScriptedIssuer, sentWith } from "./scripted-issuer";

const token = (value: string, seconds = 3_600) =>
  Response.json({ access_token: value, token_type: "Bearer", expires_in: seconds });

describe("Microsoft Entra", () => {
  const entra = (issuer: ScriptedIssuer, clock = new MovedClock()) =>
    opened({
      ...{ kind: "azure", clock, secret: "client-secret-for-tests" },
      credential: { source: "entra", tenant_id: "contoso.onmicrosoft.com", client_id: "11-22" },
      environment: { AZURE_AUTHORITY_HOST: `${issuer.url}/` },
    });

  test("gives a token for client credentials, which is sent until it is nearly over", async () => {
    verifies("provider.credential-sources", "provider.tokens-renewed");
    const clock = new MovedClock();
    using issuer = new ScriptedIssuer((_, position) => token(`entra-${position}`));
    const credential = entra(issuer, clock);
    const all = await Promise.all([sentWith(credential), sentWith(credential), sentWith(credential)]);
    expect(all).toEqual(["Bearer entra-0", "Bearer entra-0", "Bearer entra-0"]);
    expect(issuer.asked.map(({ path, form }): unknown => ({ path, ...Object.fromEntries(form) }))).toEqual([
      {
        path: "/contoso.onmicrosoft.com/oauth2/v2.0/token",
        ...{ grant_type: "client_credentials", client_id: "11-22", client_secret: "client-secret-for-tests" },
        scope: "https://cognitiveservices.azure.com/.default",
      },
    ]);
    clock.ms += 3_299_000;
    expect(await sentWith(credential)).toBe("Bearer entra-0");
    expect(issuer.asked).toHaveLength(1);
    clock.ms += 2_000;
    expect(await sentWith(credential)).toBe("Bearer entra-0");
    while ((await sentWith(credential)) === "Bearer entra-0") await Bun.sleep(1);
    expect(issuer.asked).toHaveLength(2);
  });

  test("that fails while a token is still good disturbs nobody, and afterwards is an error without its words", async () => {
    verifies("provider.tokens-renewed");
    const clock = new MovedClock();
    using issuer = new ScriptedIssuer((_, position) =>
      position === 0 ? token("entra-0") : Response.json({ error_description: "secret words" }, { status: 401 }),
    );
    const credential = entra(issuer, clock);
    expect(await sentWith(credential)).toBe("Bearer entra-0");
    clock.ms += 3_400_000;
    expect(await sentWith(credential)).toBe("Bearer entra-0");
    while (issuer.asked.length < 2) await Bun.sleep(1);
    clock.ms += 200_000;
    const failed = await Promise.resolve(sentWith(credential)).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      ...{ name: "CredentialFailure", message: "Microsoft Entra answered with status 401." },
    });
  });

  test("a token that the provider refused is asked for again, unless it was only just given", async () => {
    const clock = new MovedClock();
    using issuer = new ScriptedIssuer((_, position) => token(`entra-${position}`));
    const credential = entra(issuer, clock);
    await sentWith(credential);
    expect(await credential.renew(NEVER)).toBe(false);
    clock.ms += 11_000;
    expect(await credential.renew(NEVER)).toBe(true);
    expect(await sentWith(credential)).toBe("Bearer entra-1");
  });

  test.each([
    ["no JSON", () => new Response("<html>")],
    ["no token", () => Response.json({ expires_in: 60 })],
    ["a token of two lines", () => token("a\r\nx-evil: 1")],
    ["no end", () => Response.json({ access_token: "t" })],
    ["a redirect", () => new Response("", { status: 302, headers: { location: "http://127.0.0.1:9/" } })],
    ["too much", () => new Response("x".repeat(100_000))],
  ])("an answer with %s is an error", async (_, answer) => {
    using issuer = new ScriptedIssuer(answer);
    await expect(sentWith(entra(issuer))).rejects.toThrow("Microsoft Entra");
  });
});

describe("Google", () => {
  test("gives a token for an assertion signed with the service account's key", async () => {
    verifies("provider.credential-sources");
    const clock = new MovedClock();
    const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
    using issuer = new ScriptedIssuer(() => token("google-token"));
    const account = {
      ...{ type: "service_account", client_email: "hub@project.iam.gserviceaccount.com", private_key_id: "key-1" },
      ...{ private_key: await exportPKCS8(privateKey), token_uri: `${issuer.url}/token` },
    };
    const secret = JSON.stringify(account, null, 2);
    const credential = opened({ kind: "vertex", clock, secret, credential: { source: "service-account" } });
    expect(await sentWith(credential)).toBe("Bearer google-token");
    const form = issuer.asked[0]?.form;
    expect(form?.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
    const { payload, protectedHeader } = await jwtVerify(form?.get("assertion") ?? "", publicKey, {
      currentDate: new Date(clock.ms),
    });
    expect(protectedHeader).toEqual({ alg: "RS256", typ: "JWT", kid: "key-1" });
    expect(payload).toEqual({
      ...{ iss: account.client_email, aud: account.token_uri },
      scope: "https://www.googleapis.com/auth/cloud-platform",
      ...{ iat: clock.ms / 1_000, exp: clock.ms / 1_000 + 3_600 },
    });
  });

  test("an issuer that a key file names is not asked where the provider itself could not be", async () => {
    verifies("provider.issuer-addresses");
    using issuer = new ScriptedIssuer(() => token("never"));
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    const account = {
      client_email: "a@b",
      private_key: await exportPKCS8(privateKey),
      token_uri: `${issuer.url}/token`,
    };
    const secret = JSON.stringify(account);
    const options = { setting: "upstream.allow_private", http: "allowed networks", connectMs: 5_000 } as const;
    const given = guardedFetch({ ...options, allowPrivate: [] });
    const needs = { kind: "vertex", credential: { source: "service-account" }, secret, environment: {} } as const;
    const strict = openCredential({ ...needs, given, known: plainFetch, now: Date.now });
    await expect(sentWith(strict)).rejects.toThrow("Google's token endpoint cannot be reached.");
    expect(issuer.asked).toEqual([]);
    const allowed = guardedFetch({ ...options, allowPrivate: ["127.0.0.0/8"] });
    expect(await sentWith(openCredential({ ...needs, given: allowed, known: plainFetch, now: Date.now }))).toBe(
      "Bearer never",
    );
  });

  test.each(["{}", "not JSON", JSON.stringify({ client_email: "a", private_key: "-----BEGIN PRIVATE KEY-----\nAA" })])(
    "a key file that is none is an error: %s",
    async (secret) => {
      const credential = opened({ kind: "vertex", secret, credential: { source: "service-account" } });
      await expect(sentWith(credential)).rejects.toThrow("service account");
    },
  );

  test("its metadata server gives the token of the machine's account", async () => {
    verifies("provider.credential-sources");
    using server = new ScriptedIssuer(({ headers }) =>
      headers.get("metadata-flavor") === "Google" ? token("machine-token") : new Response("", { status: 403 }),
    );
    const credential = opened({
      ...{ kind: "vertex", credential: { source: "metadata-server" } },
      environment: { GCE_METADATA_HOST: server.host },
    });
    expect(await sentWith(credential)).toBe("Bearer machine-token");
    expect(server.asked[0]?.path).toBe("/computeMetadata/v1/instance/service-accounts/default/token");
  });
});

describe("keys", () => {
  test.each([
    ["openai", "authorization", "Bearer key-for-tests"],
    ["anthropic", "x-api-key", "key-for-tests"],
    ["azure", "api-key", "key-for-tests"],
    ["bedrock", "authorization", "Bearer key-for-tests"],
  ] as const)("of %s go into %s", async (kind, header, value) => {
    verifies("provider.credential-sources");
    const credential = opened({ kind, secret: "key-for-tests", credential: { source: "key" } });
    for (const name of ["authorization", "x-api-key", "api-key"]) {
      expect(await sentWith(credential, name)).toBe(name === header ? value : null);
    }
    expect(credential.secrets()).toEqual(["key-for-tests"]);
  });

  test("a file of a key is read again when it was written or replaced, at once when the provider refuses the old one", async () => {
    verifies("provider.key-files");
    const folder = await mkdtemp(join(tmpdir(), "guardhouse-key-"));
    try {
      const path = join(folder, "key");
      await writeFile(path, "first-key\n");
      const clock = new MovedClock();
      const credential = opened({ kind: "openai", clock, credential: { source: "key", secret_file: path } });
      expect(await sentWith(credential)).toBe("Bearer first-key");
      await writeFile(path, "second-key\n");
      clock.ms += 1_001;
      expect(await sentWith(credential)).toBe("Bearer second-key");
      await writeFile(`${path}.new`, "third-key");
      await rename(`${path}.new`, path);
      expect(await credential.renew(NEVER)).toBe(true);
      expect(await sentWith(credential)).toBe("Bearer third-key");
      expect(await credential.renew(NEVER)).toBe(false);
      await rm(path);
      clock.ms += 1_001;
      await expect(sentWith(credential)).rejects.toThrow("cannot be read");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

test("what is asked for once is asked for by one, and a caller that leaves does not end it for the others", async () => {
  const gate = Promise.withResolvers<string>();
  let asked = 0;
  const issue = async () => {
    asked += 1;
    return { value: await gate.promise, expiresAt: Number.POSITIVE_INFINITY };
  };
  const renewed = new Renewed({ issue, now: () => 0 });
  const leaving = new AbortController();
  const left = Promise.resolve(renewed.get(leaving.signal)).catch((error: unknown) => error);
  const stays = renewed.get(NEVER);
  leaving.abort(new Error("gone"));
  expect(await left).toMatchObject({ message: "gone" });
  gate.resolve("token");
  expect(await stays).toBe("token");
  expect([renewed.get(NEVER), asked]).toEqual(["token", 1]);
});
