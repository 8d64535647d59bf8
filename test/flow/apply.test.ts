import { expect, setDefaultTimeout, test } from "bun:test";
import { answers } from "#test/support/answers";
import { FakeProvider } from "#test/support/fake-provider";
import { Hub, type HubOptions } from "#test/support/hub";
import { onPostgres, sharedCluster } from "#test/support/postgres";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(120_000);

const [ROOT, EVE] = ["root@example.org", "eve@example.org"];
const KEY = "sk-local-key-1";

const fileFor = (url: string): string => `
users = [{ email = "${EVE}" }]
agents = [{ name = "desk", owner = "${EVE}" }, { name = "old", owner = "${EVE}", suspended = true }]

[[providers]]
name = "local"
base_url = "${url}"
models = ["new-*"]
api_key = "env:PROVIDER_LOCAL_API_KEY"

[[policy.rules]]
type = "pii.email"
origins = ["user"]
thresholds = { block = 0.1 }

[[restrictions]]
agent = "desk"
owner = "${EVE}"
kind = "model_restricted"
params = { models_allow = ["new-model"] }
reason = "trial"
expires_at = 2099-01-01T00:00:00Z
`;

const apply = async (hub: Hub, toml: string, ...flags: string[]): Promise<{ code: number; changes: unknown[] }> => {
  const args = ["apply", "-f", await hub.writeFile(toml), "--as", ROOT, ...flags];
  const { code, stderr, json } = await hub.cliWith({ env: { PROVIDER_LOCAL_API_KEY: KEY } }, ...args);
  if (code === 1) throw new Error(stderr);
  return { code, changes: Object(json()).changes };
};

const ask = async (hub: Hub, token: string, content: string, model = "new-model"): Promise<unknown> => {
  const answer = await hub.fetch("/v1/chat/completions", {
    token,
    json: { model, messages: [{ role: "user", content }] },
  });
  const body = Object(await answer.json());
  return [answer.status, body.error?.code ?? null];
};

/** What a hub makes of the same calls. */
const behaviour = async (hub: Hub): Promise<unknown[]> => {
  const { token: desk } = await hub.createToken(EVE, "desk");
  const { token: old } = await hub.createToken(EVE, "old");
  return [
    await ask(hub, desk, "Good morning."),
    await ask(hub, desk, "Write to ada.lovelace@example.com."),
    await ask(hub, desk, "Good morning.", "new-other"),
    await ask(hub, old, "Good morning."),
  ];
};

const rebuilt = async (options: () => Promise<HubOptions>): Promise<void> => {
  await using provider = await FakeProvider.start(["new-model", "new-other"]);
  await using first = await Hub.create(await options());
  await first.createAdmin(ROOT);
  await first.start();
  expect((await apply(first, fileFor(provider.url))).changes).toHaveLength(6);
  const expected = await behaviour(first);
  expect(expected.map((one) => Object(one)[0])).toEqual([200, 400, 403, 403]);
  expect(provider.calls.at(-1)?.headers.get("authorization")).toBe(`Bearer ${KEY}`);

  const exported = String(Object((await first.cli("export", "config")).json()).configuration);
  expect(exported).not.toContain(KEY);
  expect(await apply(first, exported, "--dry-run", "--prune")).toEqual({ code: 0, changes: [] });
  await using second = await Hub.create(await options());
  await second.createAdmin(ROOT);
  await second.start();
  expect((await apply(second, exported, "--dry-run")).code).toBe(11);
  await apply(second, exported);
  expect(await behaviour(second)).toEqual(expected);
  expect((await second.cli("audit", "verify")).json()).toMatchObject({ ok: true });
};

test("a hub that serves takes a file in, and one that is rebuilt from the export acts alike", async () => {
  verifies("apply.round-trip", "apply.kinds");
  await rebuilt(async () => ({}));
});

test("a profile that was revoked is not the agent's first one any more", async () => {
  verifies("apply.approval");
  await using hub = await Hub.create();
  await hub.createAdmin(ROOT);
  await hub.start();
  await apply(hub, `[[users]]\nemail = "${EVE}"\n`);
  const { id } = await hub.createAgent("desk", EVE);
  const given = await hub.writeFile(JSON.stringify(answers({ ownership: { sponsor: ROOT } })));
  await hub.cli("agent", "submit", "desk", "--answers", given, "--as", EVE);
  await hub.cli("agent", "approve", "desk", "--owner", EVE, "--as", ROOT, "--note", "nobody else is here");
  const exported = String(Object((await hub.cli("export", "config")).json()).configuration);
  expect(exported).toContain("[[profiles]]");
  const token = await hub.createSession(ROOT);
  const json = { reason: "It leaks." };
  const revoked = await hub.fetch(`/api/agents/${id}/profile/revoke`, { method: "POST", token, json });
  expect(revoked.status).toBe(200);
  const created = [{ kind: "profile", name: `desk (${EVE})`, action: "create", state: "awaiting approval" }];
  for (let times = 0; times < 2; times += 1) {
    expect((await apply(hub, exported, "--force")).changes).toEqual(created);
  }
});

onPostgres("a configuration in PostgreSQL", () => {
  const cluster = sharedCluster();
  test("is applied and exported as one on SQLite is", async () => {
    verifies("apply.round-trip");
    await rebuilt(async () => {
      const url = (await cluster()).url(await (await cluster()).database());
      return { env: { GUARDHOUSE_DATABASE__URL: url, GUARDHOUSE_MASTER_KEY: Buffer.alloc(32, 7).toString("base64") } };
    });
  });
});
