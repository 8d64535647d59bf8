import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { FakeProvider } from "#test/support/fake-provider";
import { answersMessage } from "#test/support/message-script";
import { verifies } from "#test/support/verifies";
import { ChatWorld } from "./chat-world";

let world: ChatWorld;
let other: FakeProvider;
let keyFile: string;
let metadata: ReturnType<typeof Bun.serve>;
beforeAll(async () => {
  other = await FakeProvider.start();
  metadata = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch: () => Response.json({ access_token: "machine-token-for-tests", expires_in: 3_600 }),
  });
  world = await ChatWorld.open({
    env: { GCE_METADATA_HOST: `127.0.0.1:${metadata.port}` },
    before: async (hub) => {
      keyFile = await hub.writeFile("first-key-for-tests-only\n");
      const place = ["--base-url", other.url.replace(/\/v1$/, ""), "--models", "deployed-*"];
      const { code, stderr } = await hub.cli(
        ...["provider", "add", "cloud", "--kind", "azure", ...place, "--alias", "asked-name=deployed-name"],
        ...["--api-key-file", keyFile, "--follow-key-file"],
      );
      if (code !== 0) throw new Error(stderr);
      const vertex = ["--base-url", `${other.url}/projects/p/locations/global`, "--models", "claude-*"];
      const added = await hub.cli(
        ...["provider", "add", "google", "--kind", "vertex", ...vertex, "--alias", "sonnet=claude-x@1"],
        ...["--credential", "metadata-server"],
      );
      if (added.code !== 0) throw new Error(added.stderr);
    },
  });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
  await metadata?.stop(true);
});

const ask = (model: string) => world.ask({ model, messages: [{ role: "user", content: "Hello there" }] });

test("a call by an alias reaches the provider's own address under the provider's name", async () => {
  verifies("provider.aliases", "provider.kinds");
  const response = await ask("asked-name");
  expect(response.status).toBe(200);
  const { path, body } = other.lastCall;
  expect([path, body.model]).toEqual(["/openai/v1/chat/completions", "deployed-name"]);
  const { final } = await world.recordsOf(response);
  expect(final.call).toMatchObject({ provider: "cloud", model: "asked-name", upstream_model: "deployed-name" });
  const models: unknown = await (await world.hub.fetch("/v1/models", { token: world.token })).json();
  expect(models).toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ id: "asked-name" })]) });
});

test("a key file that is followed is read again while the hub serves, and is kept nowhere", async () => {
  verifies("provider.key-files");
  const key = () => other.lastCall.headers.get("api-key");
  expect((await ask("deployed-a")).status).toBe(200);
  expect([key(), other.lastCall.headers.get("authorization")]).toEqual(["first-key-for-tests-only", null]);
  await writeFile(keyFile, "second-key-for-tests-only");
  const deadline = performance.now() + 60_000;
  while (key() !== "second-key-for-tests-only") {
    if (performance.now() > deadline) throw new Error("the old key is still sent");
    await ask("deployed-a");
  }
  const [listed] = JSON.parse((await world.hub.cli("provider", "list")).stdout).filter(
    ({ name }: { name: string }) => name === "cloud",
  );
  expect(listed).toMatchObject({ kind: "azure", has_key: false, credential: { source: "key", secret_file: keyFile } });
  expect(await readFile(keyFile, "utf8")).toBe("second-key-for-tests-only");
});

test("Messages at Vertex: the model in the address, the version in the body, the machine's token in the header", async () => {
  verifies("provider.kinds", "provider.aliases", "provider.credential-sources");
  const place = "/v1/projects/p/locations/global/publishers/anthropic/models";
  const send = (stream: boolean, path = "/v1/messages?beta=true") =>
    world.hub.fetch(path, {
      headers: { "x-api-key": world.token, "anthropic-version": "2023-06-01", "anthropic-beta": "some-beta" },
      json: { model: "sonnet", max_tokens: 64, messages: [{ role: "user", content: "Hello there" }], stream },
    });
  other.next(answersMessage([{ text: "Good morning." }]), answersMessage([{ text: ["Good ", "morning."] }]));
  const whole = await send(false);
  expect(await whole.json()).toMatchObject({ content: [{ type: "text", text: "Good morning." }] });
  expect(other.lastCall.path).toBe(`${place}/claude-x@1:rawPredict`);
  const { headers, body } = other.lastCall;
  expect(body).toEqual({
    ...{ anthropic_version: "vertex-2023-10-16", max_tokens: 64, stream: false },
    messages: [{ role: "user", content: "Hello there" }],
  });
  expect(
    ["authorization", "anthropic-beta", "anthropic-version", "x-api-key"].map((name) => headers.get(name)),
  ).toEqual([...["Bearer machine-token-for-tests", "some-beta", null, null]]);
  const { final } = await world.recordsOf(whole);
  expect(final.call).toMatchObject({ provider: "google", model: "sonnet", upstream_model: "claude-x@1" });
  const streamed = await send(true);
  expect(await streamed.text()).toContain("message_stop");
  expect(other.lastCall.path).toBe(`${place}/claude-x@1:streamRawPredict`);
});
