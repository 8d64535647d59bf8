import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { type RawHandler, RawHttpServer, type Wire } from "./raw-http.ts";

/** What a provider floods its client with; the first part of its paths. */
export const FLOODS = [
  "whole",
  "stream",
  "event",
  "announced",
  "refusal",
  "fault",
  "gzip",
  "deflate",
  "br",
  "zstd",
  "gzip-stream",
  "zstd-stream",
  "unknown-encoding",
  "broken-encoding",
] as const;
export type Flood = (typeof FLOODS)[number];

const MIB = 1 << 20;
/** Whoever takes more than this takes everything: the flood stops so that a failing test ends, too. */
const FLOOD_BYTES = 256 * MIB;
/** What a compressed answer unpacks to. */
const UNPACKED_BYTES = 256 * MIB;

/**
 * A provider whose answers are too large, on the real wire: `/{flood}/v1/…` is flooded, whatever is asked there.
 * `sent` counts what was written of bodies, in bytes, by flood.
 */
export class FloodProvider implements AsyncDisposable {
  readonly sent = new Map<string, number>();
  /** The floods whose client has closed the connection before the end. */
  readonly left: string[] = [];
  readonly encodings: (string | null)[] = [];
  readonly #packed = new Map<string, Uint8Array>();
  #server: RawHttpServer | undefined;

  static async start(): Promise<FloodProvider> {
    const provider = new FloodProvider();
    const handler: RawHandler = async ({ target, headers }, wire) => {
      provider.encodings.push(headers.get("accept-encoding"));
      await provider.#flood(target.split("/")[1] ?? "", wire);
    };
    provider.#server = await RawHttpServer.listen(handler, () => {});
    return provider;
  }

  url(flood: Flood): string {
    return `http://127.0.0.1:${this.#server?.port}/${flood}/v1`;
  }

  /** Address of its root, for what is no provider. */
  get root(): string {
    return `http://127.0.0.1:${this.#server?.port}`;
  }

  async #flood(flood: string, wire: Wire): Promise<void> {
    const text = Buffer.from(PROSE.repeat(512));
    if (flood === "whole") return this.#endless(wire, flood, headOf(200, JSON_TYPE), Buffer.from('{"id":"'), text);
    if (flood === "refusal") return this.#endless(wire, flood, headOf(400, JSON_TYPE), Buffer.from('{"error":"'), text);
    if (flood === "fault") return this.#endless(wire, flood, headOf(500, JSON_TYPE), Buffer.from('{"error":"'), text);
    if (flood === "stream") return this.#endless(wire, flood, headOf(200, EVENTS), EVENT, Buffer.from(EVENT));
    if (flood === "event") return this.#endless(wire, flood, headOf(200, EVENTS), Buffer.from("data: "), text);
    if (flood === "announced") {
      await wire.write(Buffer.from(`HTTP/1.1 200 OK\r\n${JSON_TYPE}content-length: 900000000000\r\n\r\n{`));
      return;
    }
    if (flood === "unknown-encoding") {
      return this.#packedAnswer(wire, flood, headOf(200, `${JSON_TYPE}content-encoding: aes128gcm\r\n`), text);
    }
    if (flood === "broken-encoding") {
      return this.#packedAnswer(wire, flood, headOf(200, `${JSON_TYPE}content-encoding: gzip\r\n`), text);
    }
    const [encoding = "", isStream] = flood.split("-");
    const type = isStream ? EVENTS : JSON_TYPE;
    const packed = this.#packedFlood(encoding, isStream !== undefined);
    await this.#packedAnswer(wire, flood, headOf(200, `${type}content-encoding: ${encoding}\r\n`), packed);
  }

  async #endless(wire: Wire, flood: string, head: string, first: Uint8Array, part: Uint8Array): Promise<void> {
    let isTaken = await wire.write(Buffer.concat([Buffer.from(head), chunk(first)]));
    const next = chunk(part);
    let sent = 0;
    for (; isTaken && sent < FLOOD_BYTES; sent += part.length) {
      this.sent.set(flood, sent);
      isTaken = await wire.write(next);
    }
    if (!isTaken) this.left.push(flood);
    wire.close();
  }

  async #packedAnswer(wire: Wire, flood: string, head: string, body: Uint8Array): Promise<void> {
    this.sent.set(flood, body.length);
    await wire.write(Buffer.concat([Buffer.from(head), chunk(body), Buffer.from("0\r\n\r\n")]));
  }

  #packedFlood(encoding: string, isStream: boolean): Uint8Array {
    const key = `${encoding} ${isStream}`;
    const known = this.#packed.get(key);
    if (known) return known;
    const unit = isStream ? EVENT : Buffer.from(PROSE.repeat(512));
    const begin = Buffer.from(isStream ? "" : '{"id":"');
    const plain = Buffer.concat([begin, Buffer.alloc(UNPACKED_BYTES, unit)]);
    const packed = PACKERS[encoding]?.(plain) ?? plain;
    this.#packed.set(key, packed);
    return packed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }
}

const PACKERS: Readonly<Record<string, (plain: Buffer) => Uint8Array>> = {
  gzip: (plain) => gzipSync(plain, { level: 1 }),
  deflate: (plain) => deflateSync(plain, { level: 1 }),
  br: (plain) => brotliCompressSync(plain, { params: { 1: 1 } }),
  zstd: (plain) => zstdCompressSync(plain),
};

const PROSE = "The quick brown fox jumps over the lazy dog, and the dog does not mind it at all. All is well here. ";
const JSON_TYPE = "content-type: application/json\r\n";
const EVENTS = "content-type: text/event-stream\r\n";
const EVENT = Buffer.from(
  `data: ${JSON.stringify({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta: { content: PROSE.repeat(80) }, finish_reason: null }],
  })}\n\n`,
);

const headOf = (status: number, headers: string): string =>
  `HTTP/1.1 ${status} Scripted\r\n${headers}transfer-encoding: chunked\r\n\r\n`;

const chunk = (bytes: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
