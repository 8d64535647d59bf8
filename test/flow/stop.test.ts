import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { hangs, says } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { ChatWorld, USER } from "./chat-world";

const user = (content: string) => ({ role: "user", content });
const STREAM = { messages: [user("Hello there")], stream: true };

/** What a client that connects anew is told once the hub has begun to stop. */
const refusal = async (url: string, init: RequestInit = {}): Promise<Response> => {
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    // Between two servers on one port there is a moment in which nobody listens.
    const response = await fetch(url, { ...init, keepalive: false }).catch(() => null);
    if (response?.status === 503) return response;
    await response?.text();
  }
  throw new Error("New connections were not answered 503.");
};

const kinds = async (world: ChatWorld): Promise<string[]> => {
  const { stdout } = await world.hub.cli("audit", "export", "--format", "ndjson");
  return stdout
    .trim()
    .split("\n")
    .map((line): string => JSON.parse(line).kind);
};

describe("SIGTERM", () => {
  test("calls under way are served to their end, new ones are refused, exit 0, the record is whole", async () => {
    verifies("stop.graceful");
    await using world = await ChatWorld.open({ processes: "hub" });
    const { url } = world.hub;
    world.provider.next(says("one two three four five six ", { gapMs: 80 }), says("A whole answer.", { delayMs: 400 }));
    const streaming = world.conversation();
    const whole = world.conversation();
    const stream = await world.ask(STREAM, { headers: streaming.headers });
    const answer = world.ask("Hello there", { headers: whole.headers });
    await world.provider.call(1);

    const stopped = world.hub.kill("SIGTERM");
    await world.hub.log("stopping");
    for (const path of ["/v1/models", "/mcp/gateway", "/api/me", "/readyz"]) {
      const refused = await refusal(`${url}${path}`);
      expect(refused.headers.get("retry-after")).toBe("1");
      expect(await refused.json()).toMatchObject({ error: { type: "server_error", code: "shutting_down" } });
    }
    const long = await refusal(`${url}/v1/chat/completions`, { method: "POST", body: "x".repeat(1_000_000) });
    expect(await long.json()).toMatchObject({ error: { code: "shutting_down" } });

    expect(await stream.text()).toEndWith("data: [DONE]\n\n");
    expect(await (await answer).json()).toMatchObject({ choices: [{ message: { content: "A whole answer." } }] });
    expect(await stopped).toBe(0);
    expect((await streaming.records()).final.outcome).toBe("answered");
    expect((await whole.records()).final.outcome).toBe("answered");
    expect((await world.hub.cli("audit", "verify")).json()).toMatchObject({ ok: true });
    expect((await kinds(world)).at(-1)).toBe("system.stop");
  });

  test("stop closes idle connections", async () => {
    verifies("stop.graceful");
    await using world = await ChatWorld.open({ processes: "hub" });
    world.provider.next(says("A whole answer.", { delayMs: 400 }));
    const { port } = new URL(world.hub.url);
    const kept = connect(Number(port), "127.0.0.1");
    const closed = Promise.withResolvers<void>();
    kept.on("close", () => closed.resolve());
    const heard = Promise.withResolvers<void>();
    kept.on("data", () => heard.resolve());
    kept.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    await heard.promise;

    const answer = world.ask("Hello there");
    await world.provider.call(0);
    const stopped = world.hub.kill("SIGTERM");
    await closed.promise;
    expect((await answer).status).toBe(200);
    expect(await stopped).toBe(0);
  });

  test("stop: calls longer than the grace are cut off and recorded as interrupted", async () => {
    verifies("stop.cut-off");
    await using world = await ChatWorld.open({ processes: "hub", env: { GUARDHOUSE_SHUTDOWN_GRACE_MS: "300" } });
    world.provider.next(says("Hello there. So", { stop: { after: 3, how: "hang" } }), hangs());
    const streaming = world.conversation();
    const whole = world.conversation();
    const stream = await world.ask(STREAM, { headers: streaming.headers });
    const answer = world.ask("Hello there", { headers: whole.headers }).then(
      (response) => response.status,
      () => "cut",
    );
    await world.provider.call(1);
    expect(await world.hub.kill("SIGTERM")).toBe(0);
    expect(await stream.text()).toContain('"code":"shutting_down"');
    expect(await answer).toBe(503);
    for (const { records } of [streaming, whole]) {
      const { request, final } = await records();
      expect(request?.outcome).toBe("open");
      expect(final).toMatchObject({ outcome: "interrupted", call: { status: 503, code: "shutting_down" } });
    }
    for (const { ended } of world.provider.calls) expect(await ended).toMatchObject({ how: "client_gone" });
    expect((await world.hub.cli("audit", "verify")).json()).toMatchObject({ ok: true });
    expect((await kinds(world)).at(-1)).toBe("system.stop");
  });
});

describe("SIGKILL", () => {
  test("no answered call is lost, and what was open is recorded as interrupted", async () => {
    verifies("audit.crash");
    await using world = await ChatWorld.open({ processes: "hub" });
    world.provider.next(says("Answered."), says("Hello there. So", { stop: { after: 3, how: "hang" } }));
    const answered = await world.ask("Hello there");
    await answered.text();
    const { headers, records } = world.conversation();
    const stream = await world.ask(STREAM, { headers });
    const reading = stream.text().catch(() => "cut");
    await world.hub.kill("SIGKILL");
    await reading;
    await world.hub.start();
    const { request, final } = await records();
    expect([request?.outcome, final.outcome]).toEqual(["open", "interrupted"]);
    expect((await world.recordsOf(answered)).final.outcome).toBe("answered");
    expect((await world.hub.cli("audit", "verify")).json()).toMatchObject({ ok: true });
    expect((await world.ask("Hello again")).status).toBe(200);
  });

  test("a restarted hub does not wait for a killed one", async () => {
    await using world = await ChatWorld.open({ processes: "hub" });
    const { id, token } = await world.hub.createToken(USER);
    await world.hub.kill("SIGKILL");
    await world.hub.start();
    const revoked = await world.hub.cli("token", "revoke", id);
    expect({ code: revoked.code, warned: revoked.stderr.includes("warning") }).toEqual({ code: 0, warned: false });
    expect((await world.hub.fetch("/v1/models", { token })).status).toBe(401);
  });
});
