import { expect, setDefaultTimeout, test } from "bun:test";
import type { JsonRecord } from "#core/json/json";
import { MODEL_APIS } from "#model/model-api";
import { API_FIELDS, bodiesOf } from "#test/support/sdk-fields/apis";
import { messagesStreams } from "#test/support/sdk-fields/messages-stream";
import { responsesStreams, shortResponsesStreams } from "#test/support/sdk-fields/responses-stream";
import { DOCUMENT, refreshed } from "../.ci/model-fields";

// The compiler reads the types in a process of its own.
setDefaultTimeout(120_000);

test("the documented fields of model APIs are those of the installed clients", async () => {
  const document = await Bun.file(DOCUMENT).text();
  expect(await refreshed(document), "bun .ci/model-fields.ts --write").toBe(document);
});

for (const name of MODEL_APIS) {
  test(`${name}: no two texts of its bodies are equal`, async () => {
    const { requests, answers, events } = await bodiesOf(API_FIELDS[name]);
    const places = [...requests, ...answers, ...events].map(({ value, places }) => {
      const own = places.filter(({ isWord }) => !isWord);
      const texts = own.map(({ path, isName }) => (isName ? path.at(-1) : textAt(value, path)));
      expect(texts.filter((text) => typeof text !== "string")).toEqual([]);
      return texts;
    });
    const texts = places.flat();
    expect(new Set(texts).size).toBe(texts.length);
  });
}

const STREAMS = [
  ["responses", responsesStreams],
  ["responses", shortResponsesStreams],
  ["messages", messagesStreams],
] as const;

for (const [name, streams] of STREAMS) {
  test(`${streams.name}: every event that the client declares`, async () => {
    const { events } = await bodiesOf(API_FIELDS[name]);
    const sent = streams(events.map(({ value }) => value)).flat();
    const typesOf = (values: readonly JsonRecord[]) => new Set(values.map(({ type }) => String(type)));
    expect(typesOf(sent)).toEqual(typesOf(events.map(({ value }) => value)));
  });
}

const textAt = (value: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce((at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined), value);
