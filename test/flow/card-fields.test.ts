import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { sends } from "#test/support/fake-provider";
import { numbered, numberedIn } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { ChatWorld, MODEL } from "./chat-world";

const LABEL = /^\[pii\.credit_card:\w{6}\]$/;
/** Fields of ids and of numbers that nobody pays with. */
const IDS = [
  "id order_id orderId OrderID order-ref trace trace_id traceId invoice_number invoiceNo order_no request_id uuid",
  "event_ids tracking_number session span_id customer_id transaction_ref external_reference message.id user_id",
  "job_id batch_no run_id receipt_number ticket timestamp shipment_code Rechnungsnummer bestell_nr sku orders",
].flatMap((line) => line.split(" "));
/** Fields of cards and payments, and names that say nothing. */
const OTHERS = [
  "card card_number cardNumber card_id cardId creditCard debit_card_no pan cc_number payment_id paymentRef visa_id",
  "paid_with charge_id kartennummer tarjeta credit_ref text note value account field data x content paid candid",
].flatMap((line) => line.split(" "));

/** A Visa number with its check digit (ISO/IEC 7812-1, annex B), in no group and published nowhere. */
const card = fc
  .array(fc.integer({ min: 0, max: 9 }), { minLength: 12, maxLength: 12 })
  .map((digits) => {
    const body = [4, 5, 3, ...digits];
    const sum = body.reduce((total, digit, at) => {
      const value = at % 2 === 0 ? digit * 2 : digit;
      return total + (value > 9 ? value - 9 : value);
    }, 0);
    return [...body, (10 - (sum % 10)) % 10].join("");
  })
  .filter((digits) => new Set(digits).size > 4);

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

/** What the provider is sent of the arguments of an earlier tool call. */
const passed = async (args: string): Promise<Record<string, unknown>> => {
  const at = world.provider.calls.length;
  const call = { id: "c", type: "function", function: { name: "find", arguments: args } };
  const response = await world.ask({
    model: MODEL,
    messages: [
      { role: "user", content: "Look it up." },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c", content: "Found." },
    ],
  });
  await response.text();
  const { body } = await world.provider.call(at);
  return JSON.parse(Object(body).messages[1].tool_calls[0].function.arguments);
};

const expectJudged = (fields: Record<string, unknown>, given: string) => {
  for (const name of IDS) expect([name, String(fields[name])]).toEqual([name, given]);
  for (const name of OTHERS) expect([name, fields[name]]).toEqual([name, expect.stringMatching(LABEL)]);
};

describe("a number that could be a card's, as a JSON field's whole value", () => {
  test("passes under the names of ids and is replaced under any other, as a string and as a number", async () => {
    verifies("scan.card-fields");
    const names = [...IDS, ...OTHERS];
    await fc.assert(
      fc.asyncProperty(card, fc.boolean(), async (digits, isText) => {
        const value = isText ? `"${digits}"` : digits;
        expectJudged(await passed(`{${names.map((name) => `${JSON.stringify(name)}:${value}`)}}`), digits);
      }),
      { numRuns: 25 },
    );
  });

  test("is judged so in long calls too, which are scanned on other threads", async () => {
    const names = [...IDS, ...OTHERS];
    const fields = names.map((name) => `${JSON.stringify(name)}:"4539148803436467"`);
    const prose = "The shelf by the window is full. ".repeat(900);
    expectJudged(await passed(`{${fields},"prose":${JSON.stringify(prose)}}`), "4539148803436467");
  });

  test("in lists, and where only the object's name says what the number is of", async () => {
    const digits = "4539148803436467";
    const fields = await passed(
      JSON.stringify({ order_ids: [digits], cards: [digits], invoice: { number: digits }, card: { number: digits } }),
    );
    expect(numberedIn(fields)).toEqual({
      order_ids: [digits],
      cards: ["[pii.credit_card:1]"],
      invoice: { number: digits },
      card: { number: "[pii.credit_card:1]" },
    });
  });

  test("under an id's name it is flagged, and one with a payment word or in a card's groups is replaced", async () => {
    verifies("scan.card-fields");
    const at = world.provider.calls.length;
    const response = await world.ask({
      model: MODEL,
      messages: [{ role: "user", content: "Hi" }],
      metadata: { order_id: "4539148803436467" },
    });
    await response.text();
    expect(response.headers.get("x-guard-action")).toBe("flag");
    expect(Object((await world.provider.call(at)).body).metadata).toEqual({ order_id: "4539148803436467" });
    const grouped = await passed('{"order_id":"4539 1488 0343 6467","trace_id":"card 4539148803436467"}');
    expect(numberedIn(grouped)).toEqual({
      order_id: "[pii.credit_card:1]",
      trace_id: "card [pii.credit_card:1]",
    });
  });

  test("in arguments that stream", async () => {
    const args = '{"order_id":4539148803436467,"card":4539148803436467}';
    const delta = { tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "f", arguments: args } }] };
    const event = (json: object) => `data: ${JSON.stringify(json)}\n\n`;
    world.provider.next(sends([event({ choices: [{ index: 0, delta, finish_reason: null }] }), "data: [DONE]\n\n"]));
    const response = await world.ask({ messages: [{ role: "user", content: "Hi" }], stream: true });
    const text = await response.text();
    expect(numbered(text)).toContain(
      JSON.stringify('{"order_id":4539148803436467,"card":"[pii.credit_card:1]"}').slice(1, -1),
    );
  });
});
