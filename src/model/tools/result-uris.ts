import { isRecord, type JsonRecord } from "#core/json/json";
import { withAppLink } from "./offered-definition";
import { publicUri } from "./resource-uri";

/*
 * Results name resources by their server's own URIs. Callers are given the public ones, so that they can read them back.
 */

/** Of a tool: links and embedded resources in its content. */
export const withPublicLinks = (result: JsonRecord, slug: string): JsonRecord => {
  const { content, _meta } = result;
  const links = Array.isArray(content) && content.some(namesResource);
  if (!links && !isRecord(_meta)) return result;
  const mapped: JsonRecord = { ...result };
  if (links) mapped["content"] = content.map((block) => withPublicLink(block, slug));
  if (isRecord(_meta)) mapped["_meta"] = withAppLink(_meta, slug);
  return mapped;
};

/** Of a prompt: the same in its messages. */
export const withPublicMessages = (result: JsonRecord, slug: string): JsonRecord => {
  const { messages } = result;
  if (!Array.isArray(messages)) return result;
  const mapped = messages.map((message: unknown) => {
    if (!isRecord(message)) return message;
    const { content } = message;
    const blocks = Array.isArray(content)
      ? content.map((one) => withPublicLink(one, slug))
      : withPublicLink(content, slug);
    return { ...message, content: blocks };
  });
  return { ...result, messages: mapped };
};

/** Of a read: each of the contents. */
export const withPublicContents = (result: JsonRecord, slug: string): JsonRecord => {
  const { contents } = result;
  if (!Array.isArray(contents)) return result;
  return { ...result, contents: contents.map((one: unknown) => withPublicUri(one, slug)) };
};

const namesResource = (block: unknown): boolean =>
  isRecord(block) && (block["type"] === "resource_link" || block["type"] === "resource");

const withPublicLink = (block: unknown, slug: string): unknown => {
  if (!isRecord(block)) return block;
  if (block["type"] === "resource_link") return withPublicUri(block, slug);
  return block["type"] === "resource" ? { ...block, resource: withPublicUri(block["resource"], slug) } : block;
};

const withPublicUri = (value: unknown, slug: string): unknown =>
  isRecord(value) && typeof value["uri"] === "string" ? { ...value, uri: publicUri(slug, value["uri"]) } : value;
