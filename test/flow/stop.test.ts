import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { hangs, says } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { House, USER } from "./house";

const user = (content: string) => ({ role: "user", content });
const STREAM = { messages: [user("Hello there")], stream: true };

/** Waits until the hub takes no connection any more. */
const refusing = async (url: string): Promise<void> => {
  for (;;) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => resolve(true));
    socket.on("error", () => resolve(false));
    const isOpen = await promise;
    socket.destroy();
    if (!isOpen) return;
  }
};

const kinds = async (house: House): Promise<string[]> => {
  const { stdout } = await house.hub.cli("audit", "export", "--format", "ndjson");
  return stdout
    .trim()
    .split("\n")
    .map((line): string => JSON.parse(line).kind);
};

describe("SIGTERM", () => {
  test("calls under way are served to their end, new ones are refused, exit 0, the record is whole", async () => {
    verifies("stop.graceful");
    await using house = await House.open();
    const { url } = house.hub;
    house.provider.next(says("one two three four five six ", { gapMs: 80 }), says("A whole answer.", { delayMs: 400 }));
    const streaming = house.conversation();
    const whole = house.conversation();
    const stream = await house.ask(STREAM, { headers: streaming.headers });
    const answer = house.ask("Hello there", { headers: whole.headers });
    await house.provider.call(1);

    const stopped = house.hub.kill("SIGTERM");
    await house.hub.log("stopping");
    await refusing(url);
    await expect(fetch(`${url}/v1/models`, { keepalive: false })).rejects.toThrow();

    expect(await stream.text()).toEndWith("data: [DONE]\n\n");
    expect(await (await answer).json()).toMatchObject({ choices: [{ message: { content: "A whole answer." } }] });
    expect(await stopped).toBe(0);
    expect((await streaming.records()).final.outcome).toBe("answered");
    expect((await whole.records()).final.outcome).toBe("answered");
    expect((await house.hub.cli("audit", "verify")).json()).toMatchObject({ ok: true });
    expect((await kinds(house)).at(-1)).toBe("system.stop");
  });

  test("connections kept from before are closed, so that nobody sends a call into the void", async () => {
    verifies("stop.graceful");
    await using house = await House.open();
    house.provider.next(says("A whole answer.", { delayMs: 400 }));
    const { port } = new URL(house.hub.url);
    const kept = connect(Number(port), "127.0.0.1");
    const closed = Promise.withResolvers<void>();
    kept.on("close", () => closed.resolve());
    const heard = Promise.withResolvers<void>();
    kept.on("data", () => heard.resolve());
    kept.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    await heard.promise;

    const answer = house.ask("Hello there");
    await house.provider.call(0);
    const stopped = house.hub.kill("SIGTERM");
    await closed.promise;
    expect((await answer).status).toBe(200);
    expect(await stopped).toBe(0);
  });

  test("what takes longer than the grace is cut off, and recorded so", async () => {
    verifies("stop.cut-off");
    await using house = await House.open({ env: { GUARDHOUSE_SHUTDOWN_GRACE_MS: "300" } });
    house.provider.next(says("Hello there. So", { stop: { after: 3, how: "hang" } }), hangs());
    const streaming = house.conversation();
    const whole = house.conversation();
    const stream = await house.ask(STREAM, { headers: streaming.headers });
    const answer = house.ask("Hello there", { headers: whole.headers }).then(
      (response) => response.status,
      () => "cut",
    );
    await house.provider.call(1);
    expect(await house.hub.kill("SIGTERM")).toBe(0);
    expect(await stream.text()).toContain('"code":"shutting_down"');
    expect(await answer).toBe(503);
    for (const { records } of [streaming, whole]) {
      const { request, final } = await records();
      expect(request?.outcome).toBe("open");
      expect(final).toMatchObject({ outcome: "interrupted", call: { status: 503, code: "shutting_down" } });
    }
    for (const { ended } of house.provider.calls) expect(await ended).toMatchObject({ how: "client_gone" });
    expect((await house.hub.cli("audit", "verify")).json()).toMatchObject({ ok: true });
    expect((await kinds(house)).at(-1)).toBe("system.stop");
  });
});

describe("SIGKILL", () => {
  test("no answered call is lost, and what was open is recorded as interrupted", async () => {
    verifies("audit.crash");
    await using house = await House.open();
    house.provider.next(says("Answered."), says("Hello there. So", { stop: { after: 3, how: "hang" } }));
    const answered = await house.ask("Hello there");
    await answered.text();
    const { headers, records } = house.conversation();
    const stream = await house.ask(STREAM, { headers });
    const reading = stream.text().catch(() => "cut");
    await house.hub.kill("SIGKILL");
    await reading;
    await house.hub.start();
    const { request, final } = await records();
    expect([request?.outcome, final.outcome]).toEqual(["open", "interrupted"]);
    expect((await house.recordsOf(answered)).final.outcome).toBe("answered");
    expect((await house.hub.cli("audit", "verify")).json()).toMatchObject({ ok: true });
    expect((await house.ask("Hello again")).status).toBe(200);
  });

  test("the next hub takes changes in at once: nobody waits for the one that was killed", async () => {
    await using house = await House.open();
    const { id, token } = await house.hub.createToken(USER);
    await house.hub.kill("SIGKILL");
    await house.hub.start();
    const revoked = await house.hub.cli("token", "revoke", id);
    expect({ code: revoked.code, warned: revoked.stderr.includes("warning") }).toEqual({ code: 0, warned: false });
    expect((await house.hub.fetch("/v1/models", { token })).status).toBe(401);
  });
});
