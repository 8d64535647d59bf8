import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type ExportedServer, serverJsonOf } from "#features/registry/exported";
import { offersOf, resolved, valueProblem } from "#features/registry/offers";
import { type ServerJson, serverJson } from "#features/registry/server-json";
import { verifies } from "#test/support/verifies";

const HUB = "https://hub.example.com";
const base: ServerJson = { name: "com.example/files", description: "Files", version: "1.0.0" };

const only = (entry: Partial<ServerJson>) => {
  const [offer] = offersOf({ ...base, ...entry });
  if (!offer) throw new Error("nothing is offered");
  return offer;
};
const pack = (more: object) =>
  only({
    packages: [
      { registryType: "npm", identifier: "files-mcp", version: "1.2.3", transport: { type: "stdio" }, ...more },
    ],
  });

describe("what an entry offers", () => {
  test("an address with variables, and headers made of secrets", () => {
    verifies("registry.proposals");
    const offer = only({
      remotes: [
        {
          type: "streamable-http",
          url: "https://{tenant}.example.com/mcp/{left}",
          variables: { tenant: { isRequired: true, choices: ["acme", "emca"] } },
          headers: [
            {
              name: "Authorization",
              isRequired: true,
              value: "Bearer {key}",
              variables: { key: { isRequired: true, isSecret: true } },
            },
            { name: "X-Region", default: "eu" },
            { name: "X-Trace" },
          ],
        },
      ],
    });
    expect(offer.shown).toBe("https://{tenant}.example.com/mcp/{left}");
    expect(offer.inputs.map(({ name, place, is_secret }) => [name, place, is_secret])).toEqual([
      ["tenant", "url", false],
      ["key", "header", true],
      ["X-Region", "header", false],
      ["X-Trace", "header", false],
    ]);
    expect(resolved(offer, { tenant: "acme", key: "k" })).toEqual({
      place: { transport: "streamable-http", url: "https://acme.example.com/mcp/{left}" },
      headers: { Authorization: "Bearer k", "X-Region": "eu" },
      variables: {},
    });
    expect(valueProblem(offer, { tenant: "acme" })).toBe("need key");
    expect(valueProblem(offer, { tenant: "x", key: "k" })).toContain("one of acme, emca");
    expect(valueProblem(offer, { tenant: "acme", key: "k", more: "m" })).toContain("more");
    expect(resolved(offer, { key: "k" })).toBeNull();
  });

  test("the exact command of a package, in which nothing is read by a shell", () => {
    verifies("registry.proposals");
    const offer = pack({
      packageArguments: [
        { type: "positional", valueHint: "folder", isRequired: true },
        { type: "named", name: "--mode", default: "read only" },
        { type: "named", name: "--verbose" },
        { type: "named", name: "--limit", description: "How many" },
      ],
      environmentVariables: [{ name: "FILES_KEY", isRequired: true, isSecret: true }],
    });
    expect(offer.shown).toBe('npx -y files-mcp@1.2.3 "{folder}" --mode "{--mode}" --verbose --limit "{--limit}"');
    expect(resolved(offer, { folder: "/srv; rm -rf /", FILES_KEY: "k" })).toEqual({
      place: {
        transport: "stdio",
        command: ["npx", "-y", "files-mcp@1.2.3", "/srv; rm -rf /", "--mode", "read only", "--verbose"],
      },
      headers: {},
      variables: { FILES_KEY: "k" },
    });
    expect(pack({ registryType: "pypi", identifier: "files_mcp" }).shown).toBe("uvx files_mcp@1.2.3");
    const said = { runtimeHint: "npx", runtimeArguments: [{ type: "positional", value: "--yes" }] };
    expect(pack(said).shown).toBe("npx --yes files-mcp@1.2.3");
  });

  test.each([
    ["an address instead of a name", { identifier: "https://evil.example/x.tgz" }],
    ["a flag instead of a name", { identifier: "--call=sh" }],
    ["a path instead of a name", { identifier: "../../x" }],
    ["a range of versions", { version: "^1.2.3" }],
    ["a version that is a flag", { version: "-c" }],
    ["another registry of packages", { registryBaseUrl: "https://npm.evil.example" }],
    ["another program", { runtimeHint: "sh" }],
    ["a package over HTTP", { transport: { type: "streamable-http", url: "http://localhost:1/mcp" } }],
    ["an image", { registryType: "oci" }],
    ["a name of every object", { registryType: "constructor" }],
  ])("%s is not run", (_what, more) => {
    verifies("registry.proposals");
    const offer = pack(more);
    expect([offer.problem === null, offer.plan]).toEqual([false, null]);
    expect(resolved(offer, {})).toBeNull();
  });
});

const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/);
const unlike = fc.string({ maxLength: 12 }).filter((text) => !text.includes("\0"));
const names = (pattern: RegExp) =>
  fc.uniqueArray(fc.stringMatching(pattern), { maxLength: 4, selector: (one) => one.toLowerCase() });
const version = fc.option(fc.stringMatching(/^[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}(-[a-z0-9]{1,5})?$/), { nil: null });
const facts = {
  id: word,
  slug: word,
  published: fc.constant(null),
  created_at: fc.constant("2026-11-27T10:00:00.000Z"),
};

const program: fc.Arbitrary<ExportedServer> = fc
  .record({
    ...facts,
    start: fc.constantFrom(["npx", "-y"], ["uvx"]),
    package: word,
    scope: fc.option(word, { nil: null }),
    version,
    rest: fc.array(fc.oneof(unlike, fc.constant("{x}"), fc.constant("--flag")), { maxLength: 5 }),
    variables: names(/^[A-Z][A-Z_]{0,8}$/),
  })
  .map(({ start, scope, version, rest, variables, ...it }) => {
    const name = scope !== null && start[0] === "npx" ? `@${scope}/${it.package}` : it.package;
    const command = [...start, version === null ? name : `${name}@${version}`, ...rest];
    const credentials = { kind: variables.length > 0 ? ("environment" as const) : ("none" as const), variables };
    return { ...it, transport: "stdio", url: null, command, credentials };
  });

const remote: fc.Arbitrary<ExportedServer> = fc
  .record({
    ...facts,
    transport: fc.constantFrom("streamable-http" as const, "sse" as const),
    url: fc.webUrl({ withQueryParameters: true }).map((url) => new URL(url).href),
    headers: names(/^[A-Za-z][A-Za-z-]{0,12}$/),
  })
  .map(({ headers, ...it }) => {
    const kind = headers.length > 0 ? ("headers" as const) : ("none" as const);
    return { ...it, command: null, credentials: { kind, headers } };
  });

test("what is exported is valid, and makes the same server again with the same secrets", () => {
  verifies("registry.round-trip");
  fc.assert(
    fc.property(fc.oneof(program, remote), (server) => {
      const json = serverJsonOf(server, HUB);
      expect([...serverJson.faults(json)]).toEqual([]);
      const [offer] = json === null ? [] : offersOf(json);
      if (!offer) throw new Error("nothing is offered");
      const { variables = [], headers = [] } = server.credentials;
      const secrets = Object.fromEntries([...variables, ...headers].map((name) => [name, `value of ${name}`]));
      const [, query] = server.url?.split(/\?(.*)/s) ?? [];
      const values = query === undefined ? secrets : { ...secrets, query };
      expect(valueProblem(offer, values)).toBeNull();
      const { transport, url, command } = server;
      expect(resolved(offer, values)).toEqual({
        place: transport === "stdio" ? { transport, command: command ?? [] } : { transport, url: url ?? "" },
        headers: headers.length > 0 ? secrets : {},
        variables: variables.length > 0 ? secrets : {},
      });
    }),
  );
});

test("other programs have no form in a registry; the newest version is said by none", () => {
  verifies("registry.round-trip");
  const server = (command: readonly string[]): ExportedServer => ({
    ...{
      id: "1",
      slug: "files",
      transport: "stdio",
      url: null,
      command,
      credentials: { kind: "none" },
      published: null,
    },
    created_at: "2026-11-27T10:00:00.000Z",
  });
  for (const command of [["node", "server.js"], ["npx", "-y", "./local"], ["npx", "files"], []]) {
    expect(serverJsonOf(server(command), HUB)).toBeNull();
  }
  const [offer] = offersOf(serverJsonOf(server(["npx", "-y", "files@latest"]), HUB) ?? base);
  expect(offer?.shown).toBe("npx -y files");
});
