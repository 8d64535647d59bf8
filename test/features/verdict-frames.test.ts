import { expect, test } from "bun:test";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import { reasonWithin } from "#features/verdicts/sources/answers";
import { copilotStudioActor, TOOL_EXECUTION, VALIDATION } from "#features/verdicts/sources/copilot-studio";
import { inferenceHookActor, inferenceHooks } from "#features/verdicts/sources/inference-hooks";
import { SignatureCheck, signedHeaders, signedNow, signingKey } from "#platform/standard-webhooks";
import { verifies } from "#test/support/verifies";

const NOW = 1_790_000_000_000;
const HOOKS = inferenceHooks("anthropic");
const SECRET = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((key) => `whsec_${Buffer.from(key).toString("base64")}`);

/** Whether a secret has signed a body that comes in pieces of any length. */
const isSigned = (
  secret: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
  cuts: readonly number[],
) => {
  const read = signedHeaders((name) => headers[name] ?? null, NOW);
  const key = signingKey(secret);
  if (read === null || key === null) return false;
  const check = new SignatureCheck(read, [key]);
  const ends = [...cuts.map((cut) => cut % (body.length + 1)), body.length].toSorted((a, b) => a - b);
  let from = 0;
  for (const end of ends) {
    check.update(body.subarray(from, end));
    from = end;
  }
  return check.signer() === 0;
};

test("what another implementation signs is signed, however it is cut, and with one bit changed it is not", () => {
  verifies("verdicts.signed");
  const at = new Date(NOW);
  fc.assert(
    fc.property(SECRET, fc.string(), fc.array(fc.nat(), { maxLength: 5 }), fc.nat(), (secret, text, cuts, flip) => {
      const headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": `${NOW / 1_000}`,
        "webhook-signature": new Webhook(secret).sign("msg_1", at, text),
      };
      const body = new TextEncoder().encode(text);
      expect(isSigned(secret, body, headers, cuts)).toBe(true);
      if (body.length === 0) return;
      const changed = body.slice();
      const place = flip % body.length;
      changed[place] = (changed[place] ?? 0) ^ (1 << (flip % 8));
      expect(isSigned(secret, changed, headers, cuts)).toBe(false);
    }),
  );
});

test("what the hub signs itself another implementation takes", () => {
  verifies("verdicts.source-settings");
  fc.assert(
    fc.property(SECRET, fc.json(), (secret, body) => {
      const headers = signedNow("msg_1", body, secret, Date.now());
      expect(() => new Webhook(secret).verify(body, { ...headers })).not.toThrow();
    }),
    { numRuns: 20 },
  );
});

test("headers of any form are read or refused", () => {
  verifies("verdicts.signed");
  const header = fc.oneof(fc.string(), fc.constantFrom(`${NOW / 1_000}`, "v1,", "v1,AA==", "msg_1", "-1", "1e9", " "));
  fc.assert(
    fc.property(header, header, header, (id, timestamp, signature) => {
      const given = new Map([
        ["webhook-id", id],
        ["webhook-timestamp", timestamp],
        ["webhook-signature", signature],
      ]);
      const read = signedHeaders((name) => given.get(name) ?? null, NOW);
      if (read !== null) expect(read.signatures.length).toBeGreaterThan(0);
    }),
  );
});

/** JSON that looks like a frame now and then. */
const frameOf = (keys: readonly string[], values: readonly unknown[]): fc.Arbitrary<JsonRecord> => {
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom(...values),
      fc.string(),
      fc.double(),
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), tie("tree"), { maxKeys: 5 }),
    ),
  }));
  return fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), tree, { maxKeys: 8 });
};

const asked = async (adapter: typeof HOOKS, body: JsonRecord): Promise<void> => {
  try {
    const frame = adapter.frameOf(body, 100);
    frame.context?.run();
    frame.walk.run();
    for (const { param } of frame.walk.slots) expect(param).toMatch(/^[\w.[\]*]+$/);
    await frame.calls();
  } catch (error) {
    // A denial: whatever else is thrown would be a fault.
    if (!(error instanceof GuardError)) throw error;
    expect(error.code).toBe("invalid_value");
  }
};

test("any frame of an inference hook is read, or refused as a verdict", async () => {
  verifies("verdicts.sources");
  const keys = ["type", "messages", "role", "content", "text", "input", "tool_name", "file_name", "actor", "source"];
  const values = [
    "prompt",
    "tool_call",
    "user",
    "assistant",
    "text",
    "tool_use",
    "tool_result",
    "attachment",
    null,
    true,
  ];
  await fc.assert(
    fc.asyncProperty(frameOf(keys, values), fc.constantFrom("prompt", "tool_call", "other"), async (body, type) => {
      const { id, email, application } = inferenceHookActor(body);
      expect([typeof id, typeof email, typeof application]).toEqual(["string", "string", "string"]);
      await asked(HOOKS, { ...body, type });
    }),
    { numRuns: 300 },
  );
});

test("any question of Copilot Studio is read, or refused as a verdict", async () => {
  verifies("verdicts.copilot-studio");
  const keys = [
    "plannerContext",
    "toolDefinition",
    "inputValues",
    "conversationMetadata",
    "chatHistory",
    "name",
    "user",
  ];
  await fc.assert(
    fc.asyncProperty(frameOf(keys, ["user", "assistant", null]), async (body) => {
      expect(typeof copilotStudioActor(body).id).toBe("string");
      await asked(TOOL_EXECUTION, body);
      await asked(VALIDATION, body);
    }),
    { numRuns: 300 },
  );
});

test("a reason of any length ends with where the call is disputed, and fits", () => {
  verifies("verdicts.sources");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 2_000 }), fc.webUrl(), (words, url) => {
      const verdict = { decision: "deny", reason: `${words} ${url}`, url, eventId: null, isHeld: false } as const;
      const reason = reasonWithin(verdict, 500);
      expect(reason.length).toBeLessThanOrEqual(500);
      expect(reason.isWellFormed()).toBe(true);
      if (url.length < 490) expect(reason.endsWith(url)).toBe(true);
    }),
  );
});

test("blocks of an unknown type beside a tool call are noted as not looked at", () => {
  verifies("verdicts.unknown-frames");
  const block = (type: string) => ({ type, tool_name: "read", input: {}, text: "Hi" });
  const content = ["text", "server_tool_use", "tool_use", "attachment"].map(block);
  const { walk } = HOOKS.frameOf(
    { type: "tool_call", messages: [{ role: "assistant", content: [...content, 1] }] },
    100,
  );
  walk.run();
  const param = (at: number) => ({ param: `messages[0].content[${at}]`, reason: "opaque" });
  expect(walk.gaps.map(({ param, reason }) => ({ param, reason: `${reason}` }))).toEqual([param(1), param(4)]);
});
