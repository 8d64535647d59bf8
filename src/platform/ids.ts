/** Makes UUIDv7 (RFC 9562) with dashes: ordered by time, so that they index well. */
export type Ids = () => string;

export const systemIds: Ids = () => Bun.randomUUIDv7();

/** UUIDs of any version, as people paste them: the shape check before a look-up. */
export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);

const UNGUESSABLE_BYTES = 24;

/** 32 characters of base64url that nobody can guess. */
export const randomText = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(UNGUESSABLE_BYTES))).toString("base64url");
