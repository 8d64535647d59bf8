import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createHash } from "node:crypto";
import { isRecord, type JsonRecord } from "#core/json/json";
import type { CallFacts } from "#model/audit";
import { type Reply, sends } from "#test/support/fake-provider";
import { API_FIELDS, bodiesOf, type EndpointName } from "#test/support/sdk-fields/apis";
import { type Body, isAmong, nameOf, type Place, withTexts } from "#test/support/sdk-fields/corpus";
import { verifies } from "#test/support/verifies";
import { World } from "#test/support/world";

/** A record has room for 100 flags. */
const SECRETS_PER_CALL = 90;

/** At its begin and its end. */
const RECORDS_PER_CALL = 2;

/** How an API is driven beyond what its types say. */
export type ApiDrive = {
  /** The events in an order a provider could send them in. */
  readonly streams: (events: readonly JsonRecord[]) => readonly (readonly JsonRecord[])[];
  /** The same events in shorter streams, which are sent many times; as `streams` unless said. */
  readonly shortStreams?: ApiDrive["streams"];
  /** One event as it stands in a stream. */
  readonly written: (event: JsonRecord) => string;
  /** What ends every stream. */
  readonly end: string;
  /** What the hub changes on purpose about a request that is streamed. */
  readonly asked: (request: JsonRecord) => JsonRecord;
  /** Requests that the hub refuses on purpose. */
  readonly isRefused?: (request: JsonRecord) => boolean;
  /** An answer or an event without what the hub changes on purpose. */
  readonly kept?: (value: JsonRecord) => JsonRecord;
};

/** A call's answer as it came, and what the provider was sent. */
type Exchange = { readonly id: string; readonly status: number; readonly text: string; readonly received: string };

/** A hub that redacts secrets wherever they stand, and a provider that speaks the API. */
class FieldWorld extends World {
  readonly provider = this.providerOf("fake");

  static async openFields(api: EndpointName): Promise<FieldWorld> {
    const seeds = {
      users: { eve: {} },
      tokens: { eve: { user: "eve" } },
      providers: {
        fake: { models: ["fake-*"], kind: API_FIELDS[api].path.includes("/messages") ? "anthropic" : "openai" },
      },
    };
    const env = { GUARDHOUSE_GUARD__ACTIONS: "secret=redact" };
    return new FieldWorld(await World.made({ seeds, env, documented: false }));
  }

  async exchange(path: string, body: JsonRecord, reply: Reply): Promise<Exchange> {
    const before = this.provider.calls.length;
    this.provider.always(reply);
    const response = await this.hub.fetch(path, { token: this.tokenOf("eve"), json: body });
    const text = await response.text();
    const received = this.provider.calls[before]?.text ?? "";
    return { id: response.headers.get("x-request-id") ?? "", status: response.status, text, received };
  }

  /** What the final records of the latest calls say was found, by call. */
  async foundIn(calls: number): Promise<ReadonlyMap<string, CallFacts>> {
    const { json } = await this.hub.cli("audit", "tail", "-n", `${Math.max(1, calls) * RECORDS_PER_CALL}`);
    const records = json();
    if (!Array.isArray(records)) throw new Error("audit tail gave no list");
    return new Map(
      records.filter(({ phase, call }) => phase === "final" && call).map((one) => [one.call_id, one.call]),
    );
  }
}

const whole = (body: JsonRecord): Reply => sends([JSON.stringify(body)], { contentType: "application/json" });

/** Tests that nothing of an API is lost on the way through the hub, and that no place in it is left unread. */
export const testsOfFields = (name: EndpointName, drive: ApiDrive): void => {
  // For each file: the one that `World` sets holds for the first that loads it.
  setDefaultTimeout(120_000);
  const api = API_FIELDS[name];
  const { kept = (value) => value, isRefused = () => false } = drive;
  let world: FieldWorld;
  let requests: readonly Body[];
  let answers: readonly Body[];
  let streams: readonly (readonly Body[])[];
  let shortStreams: readonly (readonly Body[])[];
  let first: JsonRecord;
  let shortest: JsonRecord;
  beforeAll(async () => {
    const [opened, bodies] = await Promise.all([FieldWorld.openFields(name), bodiesOf(api)]);
    world = opened;
    ({ answers } = bodies);
    requests = bodies.requests.filter(({ value }) => !isRefused(value));
    const events = bodies.events.map(({ value }) => value);
    const made = (of: ApiDrive["streams"]) => of(events).map((stream) => stream.map(bodies.bodyOf));
    streams = events.length === 0 ? [] : made(drive.streams);
    shortStreams = drive.shortStreams ? made(drive.shortStreams) : streams;
    const values = requests.map(({ value }) => value);
    [first = {}] = values;
    [shortest = {}] = values.toSorted((one, other) => JSON.stringify(one).length - JSON.stringify(other).length);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const ask = (body: JsonRecord, reply: Reply) => world.exchange(api.path, body, reply);
  const streamed = (events: readonly JsonRecord[]): Reply => sends([...events.map(drive.written), drive.end]);

  describe(`${name}: every field arrives`, () => {
    test("of requests and answers", async () => {
      verifies("models.fields");
      const made: string[] = [];
      for (let at = 0; at < Math.max(requests.length, answers.length); at += 1) {
        const request = requests[at % requests.length]?.value ?? {};
        const answer = answers[at % answers.length]?.value ?? {};
        const { id, status, text, received } = await ask(request, whole(answer));
        expect({ status, error: status === 200 ? "" : text }).toEqual({ status: 200, error: "" });
        expect(JSON.parse(received)).toEqual(request);
        expect(kept(JSON.parse(text))).toEqual(kept(answer));
        // Providers keep what they read of a conversation under the bytes it had; answers are sent back with the next call.
        expect(received === JSON.stringify(request)).toBe(true);
        expect(isInOrder(kept(JSON.parse(text)), kept(answer))).toBe(true);
        made.push(id);
      }
      await expectNoFlags(made);
    });

    if (api.event.length > 0)
      test("of events", async () => {
        verifies("models.fields");
        const request = { ...first, stream: true };
        const made: string[] = [];
        for (const stream of streams) {
          const sent = stream.map(({ value }) => value);
          const { id, status, text, received } = await ask(request, streamed(sent));
          expect({ status, error: status === 200 ? "" : text }).toEqual({ status: 200, error: "" });
          expect(JSON.parse(received)).toEqual(drive.asked(request));
          const written = eventsIn([...sent.map(drive.written), drive.end].join(""));
          expect(eventsIn(text).map(keptOf)).toEqual(written.map(keptOf));
          expect(isInOrder(eventsIn(text).map(keptOf), written.map(keptOf))).toBe(true);
          made.push(id);
        }
        await expectNoFlags(made);
      });

    const expectNoFlags = async (made: readonly string[]): Promise<void> => {
      const found = await world.foundIn(made.length);
      for (const id of made) expect(found.get(id)?.flags).toEqual([]);
    };

    const keptOf = ({ name: type, data }: SentEvent): SentEvent => ({
      name: type,
      data: isRecord(data) ? kept(data) : data,
    });
  });

  /** Bodies with a secret at each of these places, so many at a time. What repeats a text repeats its secret. */
  const plantedIn = (bodies: readonly Body[], isWanted: (place: Place) => boolean, asText = secretIn): Planted[] => {
    const places = bodies.flatMap((body) => body.places.filter(isWanted));
    const byText = Map.groupBy(places, (place) => keyOf(place));
    // Events that repeat each other do it whole.
    const isTrimmed = bodies.length === 1 || !hasRepeats(bodies);
    return inBatches([...byText]).map((batch) => {
      const secrets = new Map(batch.map(([text, [place]], at) => [text, { secret: secretOf(text, at), place }]));
      const values = bodies.map((body) => {
        const own = body.places.filter((place) => isWanted(place) && secrets.has(keyOf(place)));
        const textAt = (place: Place): string => asText(secrets.get(keyOf(place))?.secret ?? "", place);
        return withTexts(body, new Map(own.map((place) => [place, textAt(place)])), isTrimmed);
      });
      return { values, secrets: [...secrets.values()] };
    });
  };
  const isOpaque = (place: Place): boolean => isAmong(api.opaque, place);
  const isKept = (place: Place): boolean => isAmong(api.kept, place);
  const isText = (place: Place): boolean => !place.isWord && !isOpaque(place);
  const isWord = ({ isWord: is, path }: Place): boolean => is && !(path.join(".") in api.fixed);

  /** Every call of a kind: what was sent in it, and what came of it at the other end. */
  const calls: Readonly<Record<Side, (planted: Planted) => Promise<Exchange & { readonly arrived: string }>>> = {
    request: async ({ values }) => {
      const exchange = await ask(values[0] ?? {}, whole(answers.at(-1)?.value ?? {}));
      return { ...exchange, arrived: exchange.received };
    },
    answer: async ({ values }) => {
      const exchange = await ask(shortest, whole(values[0] ?? {}));
      return { ...exchange, arrived: exchange.text };
    },
    event: async ({ values }) => {
      const exchange = await ask({ ...shortest, stream: true }, streamed(values));
      return { ...exchange, arrived: exchange.text };
    },
  };
  const bodiesAt = (side: Side): readonly (readonly Body[])[] =>
    side === "event" ? shortStreams : (side === "request" ? requests : answers).map((body) => [body]);

  const plantedAt = (side: Side, isWanted: (place: Place) => boolean, asText?: AsText): Planted[] =>
    bodiesAt(side).flatMap((bodies) => plantedIn(bodies, isWanted, asText));

  const expectFlags = async (made: ReadonlyMap<string, Planted>): Promise<void> => {
    const found = await world.foundIn(made.size);
    for (const [id, { secrets }] of made) {
      const flags = (found.get(id)?.flags ?? []).filter(({ type }) => type.startsWith("secret"));
      expect(flags.length).toBeGreaterThanOrEqual(secrets.length);
      expect(passed({ secrets, values: [] }, JSON.stringify(found.get(id)))).toEqual([]);
    }
  };

  const goesNoFurther = async (side: Side): Promise<void> => {
    const made = new Map<string, Planted>();
    for (const planted of plantedAt(side, (place) => isText(place) && !(side === "request" && isKept(place)))) {
      const { id, status, text, arrived } = await calls[side](planted);
      expect({ status, error: status === 200 ? "" : text }).toEqual({ status: 200, error: "" });
      expect(passed(planted, arrived)).toEqual([]);
      made.set(id, planted);
    }
    await expectFlags(made);
  };

  const goesNoFurtherAsWord = async (side: Side): Promise<void> => {
    const made = new Map<string, Planted>();
    for (const planted of plantedAt(side, isWord)) {
      const { id, status, arrived } = await calls[side](planted);
      expect(passed(planted, arrived)).toEqual([]);
      if (status === 200) made.set(id, planted);
    }
    await expectFlags(made);
  };

  const isFlagged = async (side: Side): Promise<void> => {
    const made = new Map<string, Planted>();
    for (const planted of plantedAt(side, isKept)) {
      const { id, arrived } = await calls[side](planted);
      expect(passed(planted, arrived).length).toBe(planted.secrets.length);
      made.set(id, planted);
    }
    await expectFlags(made);
  };

  const staysEncoded = async (side: Side): Promise<void> => {
    const made: string[] = [];
    for (const planted of plantedAt(side, isOpaque)) {
      const { id, arrived } = await calls[side](planted);
      expect(passed(planted, arrived).length).toBe(planted.secrets.length);
      made.push(id);
    }
    const found = await world.foundIn(made.length);
    const gaps = made.map((id) => found.get(id)?.coverage[side === "request" ? "input" : "output"].unscanned ?? []);
    for (const gap of gaps) expect(gap.map(({ reason }) => reason)).toContain("opaque");
    // A text in its place is read as any text.
    for (const planted of plantedAt(side, isOpaque, sentence)) {
      expect(passed(planted, (await calls[side](planted)).arrived)).toEqual([]);
    }
  };

  for (const side of SIDES.filter((one) => api[one].length > 0)) {
    const proofs: readonly (readonly [what: string, proof: (side: Side) => Promise<void>, isMeant: boolean])[] = [
      ["a secret goes no further", goesNoFurther, true],
      ["a secret in place of a word goes no further", goesNoFurtherAsWord, true],
      ["a secret in what may not change is flagged", isFlagged, side === "request" && api.kept.length > 0],
      ["encoded state stays as it is", staysEncoded, api.opaque.length > 0],
    ];
    describe(`${name}: every place of ${side}s is read`, () => {
      for (const [what, proof, isMeant] of proofs)
        if (isMeant)
          test(what, () => {
            verifies("models.places");
            return proof(side);
          });
    });
  }
};

const SIDES = ["request", "answer", "event"] as const;
type Side = (typeof SIDES)[number];

/** Bodies with secrets in them, and where each stands first. */
type Planted = {
  readonly values: readonly JsonRecord[];
  readonly secrets: readonly { readonly secret: string; readonly place: Place | undefined }[];
};

/** The places whose secrets stand in a text. */
const passed = ({ secrets }: Planted, arrived: string): string[] =>
  secrets.filter(({ secret }) => arrived.includes(secret)).map(({ place }) => (place ? shown(place) : ""));

const hasRepeats = (bodies: readonly Body[]): boolean => {
  const texts = bodies.flatMap(({ places }) => places.flatMap(({ isWord, text }) => (isWord ? [] : [text])));
  return new Set(texts).size < texts.length;
};

type AsText = (secret: string, place: Place) => string;
const sentence: AsText = (secret) => `The key is ${secret} today`;
const secretIn: AsText = (secret, { holding }) => holding(` ${secret} `);

const inBatches = <T>(all: readonly T[]): (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / SECRETS_PER_CALL) }, (_, which) =>
    all.slice(which * SECRETS_PER_CALL, (which + 1) * SECRETS_PER_CALL),
  );

/** Letters and digits in turn: what has words or runs in it is taken for a placeholder. */
const SECRET_UNITS = ["BCDFGHJKLMNPQRSTVWXZ", "234567"] as const;

/** An access key of its own for every text. */
const secretOf = (text: string, at: number): string => {
  const bytes = createHash("sha256").update(`${at} ${text}`).digest().subarray(0, 16);
  const units = [...bytes].map((byte, position) => {
    const set = SECRET_UNITS[position % 2 === 0 ? 0 : 1];
    return set[byte % set.length];
  });
  return `AKIA${units.join("")}`;
};

/** Whether what is equal has its fields in the same order, too. */
const isInOrder = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Texts that are repeated are one; words of the protocol stand for themselves at each of their places. */
const keyOf = ({ text, isWord, path }: Place): string => (isWord ? path.join(".") : text);

const shown = (place: Place): string => `${nameOf(place)}${place.isName ? " (name)" : ""}`;

type SentEvent = { readonly name: string; readonly data: unknown };

/** The events of a stream, without its comments. */
const eventsIn = (stream: string): SentEvent[] =>
  stream
    .split("\n\n")
    .map((event) => event.split("\n"))
    .filter((lines) => lines.some((line) => line.startsWith("data:")))
    .map((lines) => ({ name: fieldIn(lines, "event"), data: dataIn(fieldIn(lines, "data")) }));

const fieldIn = (lines: readonly string[], field: string): string =>
  lines
    .filter((line) => line.startsWith(`${field}:`))
    .map((line) => line.slice(field.length + 1).trim())
    .join("\n");

const dataIn = (text: string): unknown => (text.startsWith("{") ? JSON.parse(text) : text);

export const plainEvent = (event: JsonRecord): string => `data: ${JSON.stringify(event)}\n\n`;

export const namedEvent = (event: JsonRecord): string => `event: ${String(event["type"])}\n${plainEvent(event)}`;

export const withUsage = (request: JsonRecord): JsonRecord => {
  const options = request["stream_options"];
  return { ...request, stream_options: { ...(isRecord(options) ? options : {}), include_usage: true } };
};
