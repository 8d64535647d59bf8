import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { verifies } from "#test/support/verifies";
import { challengeOf, scopeWords, widened } from "#upstream/mcp/oauth-challenge";
import { failureOf, OAuthServerWorld, refusal } from "./oauth-server-world.ts";
import { type Reply, ScriptedOAuth } from "./scripted-oauth.ts";

const SECRET = "very-secret-client-secret";
const client = { client_id: "hub", client_secret: SECRET, scope: null };

/** Everything an error would show when it is printed, with its causes. */
const shown = (error: unknown): string => Bun.inspect(error, { depth: 20 });

describe("secrets", () => {
  test("no failure shows a token, a code, a verifier or a client secret", async () => {
    verifies("tools.oauth-secrets");
    /** A server that repeats all it was sent, in every way there is. */
    const parrots: Reply[] = [
      ({ form, authorization }) => Response.json({ error: `${form} ${authorization}` }, { status: 400 }),
      ({ form }) => Response.json({ error: "invalid_grant", error_description: `${form}` }, { status: 400 }),
      ({ form, authorization }) => new Response(`${form} ${authorization}`, { status: 500 }),
      ({ form }) => new Response(`{"access_token": ${form}`, { headers: { "content-type": "application/json" } }),
      ({ form }) => Response.json({ access_token: `${form}\r\nx-evil: 1`, token_type: "Bearer" }),
      ({ form }) => Response.json({ access_token: "leaked-token", token_type: `${form}` }),
      ({ form }) => Response.redirect(`http://127.0.0.1/?${form}`, 307),
    ];
    await using remote = new ScriptedOAuth();
    remote.metadata = { token_endpoint_auth_methods_supported: ["client_secret_post"] };
    await using world = await OAuthServerWorld.create({
      url: remote.url,
      credentials: { kind: "authorization_code", ...client },
    });
    await world.signIn();
    for (const parrot of parrots) {
      remote.instead.set("/token", parrot);
      const answer = await world.visit(await world.signIns.begin(world.server, "u1", "any_browser"));
      const authorization = await world.authorization();
      await authorization.headers();
      const failures = [
        await failureOf(world.signIns.finish(answer, null)),
        await failureOf(authorization.refused(refusal(401))),
      ];
      const sent = remote.asked.flatMap(({ path, form }) =>
        path === "/token" ? ["code", "code_verifier", "refresh_token"].flatMap((name) => form.get(name) ?? []) : [],
      );
      expect(sent.length).toBeGreaterThanOrEqual(3);
      for (const secret of [SECRET, remote.access, "leaked-token", ...sent]) {
        for (const failure of failures) expect(shown(failure)).not.toContain(secret);
      }
    }
  });

  test("nothing of a sign-in is stored as it is", async () => {
    verifies("tools.oauth-secrets");
    await using remote = new ScriptedOAuth();
    await using world = await OAuthServerWorld.create({
      url: remote.url,
      credentials: { kind: "authorization_code", ...client },
    });
    await world.signIn();
    // One more that is under way.
    const state = new URL(await world.signIns.begin(world.server, "u1", "any_browser")).searchParams.get("state") ?? "";
    const sent = remote.grants("authorization_code").flatMap(({ form }) => [form.get("code_verifier") ?? ""]);
    const folder = dirname(world.database);
    const files = (await readdir(folder)).filter((name) => name.startsWith("guardhouse.db"));
    const bytes = Buffer.concat(
      await Promise.all(files.map(async (name) => Buffer.from(await Bun.file(join(folder, name)).arrayBuffer()))),
    );
    expect(bytes.includes(world.server.id)).toBe(true);
    for (const secret of [SECRET, remote.access, state, ...sent]) {
      expect(secret).not.toBe("");
      expect(bytes.includes(secret)).toBe(false);
    }
  });
});

describe("challenges", () => {
  const word = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,8}$/);
  const text = fc.stringMatching(/^[\x20-\x7e]{0,20}$/);
  const quoted = (value: string) => `"${value.replace(/["\\]/g, "\\$&")}"`;
  const param = fc.oneof(word, fc.constantFrom("scope", "resource_metadata"));
  const params = fc.array(fc.tuple(param, text), { maxLength: 4 });
  const others = fc.array(fc.tuple(word, params), { maxLength: 3 });
  const written = (scheme: string, list: readonly (readonly [string, string])[]) =>
    `${scheme} ${list.map(([name, value]) => `${name}=${quoted(value)}`).join(", ")}`.trim();

  test("Bearer is found among other schemes, whatever they say", () => {
    fc.assert(
      fc.property(others, others, text, text, (before, after, scope, resource) => {
        const clean = (list: typeof before) => list.filter(([scheme]) => scheme.toLowerCase() !== "bearer");
        const mine = written("BEARER", [
          ["realm", 'a, Bearer scope="forged"'],
          ["Scope", scope],
          ["resource_metadata", resource],
        ]);
        const all = [clean(before), clean(after)].map((list) => list.map(([scheme, own]) => written(scheme, own)));
        const header = [...(all[0] ?? []), mine, ...(all[1] ?? [])].join(", ");
        const found = challengeOf(new Response(null, { headers: { "www-authenticate": header } }));
        expect(found).toEqual({ scope: scope || null, resourceMetadata: resource });
      }),
    );
  });

  test("whatever is sent, something is read, soon", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\x20-\x7e]{0,200}$/), (header) => {
        const { scope } = challengeOf(new Response(null, { headers: { "www-authenticate": header } }));
        expect(scope === null || scope !== "").toBe(true);
      }),
    );
    const long = `Bearer ${'scope="\\'.repeat(20_000)}`;
    expect(challengeOf({ headers: new Headers({ "www-authenticate": long }) }).resourceMetadata).toBeNull();
  });

  test("scopes are joined word by word", () => {
    const scope = fc.option(fc.array(word, { maxLength: 5 }).map((words) => words.join("  ")));
    fc.assert(
      fc.property(scope, scope, (one, two) => {
        const words = [...scopeWords(one), ...scopeWords(two)];
        expect(new Set(scopeWords(widened(one, two)))).toEqual(new Set(words));
        expect(scopeWords(widened(one, two))).toHaveLength(new Set(words).size);
        expect(widened(one, two) === null).toBe(words.length === 0);
      }),
    );
  });
});
