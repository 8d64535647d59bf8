/*
 * Files inside JSON texts: base64 that no detector looks at.
 */

/** base64 this long under a media key is a file, not a text. */
const SHORTEST_BINARY = 256;
const MEDIA_KEYS = new Set(["data", "file_data", "b64_json"]);
/** Where a tool's result holds a file (MCP, embedded resources). */
const RESOURCE_BLOB = "resource.blob";
/** Keys that may hold a whole `data:` URL. Anywhere else it is a text that begins like one. */
const MEDIA_URL_KEYS = new Set([...MEDIA_KEYS, "url", "image_url"]);
const DATA_URL = /^data:(?!text\/)[\w.+/-]*(?:;[\w.+=-]+)*;base64,/i;
const BASE64 = /^[A-Za-z0-9+/_-]*=*$/;

/** Whether the text under `key`, at the path `param`, is a file and no text. */
export const isBinary = (key: string, text: string, param: string): boolean =>
  text.startsWith("data:")
    ? MEDIA_URL_KEYS.has(key) && isBase64Url(text)
    : text.length >= SHORTEST_BINARY && (MEDIA_KEYS.has(key) || param.endsWith(RESOURCE_BLOB)) && BASE64.test(text);

const isBase64Url = (text: string): boolean => {
  const head = DATA_URL.exec(text.slice(0, 200))?.[0];
  return head !== undefined && BASE64.test(text.slice(head.length));
};
