import { isRecord, type JsonRecord } from "#core/json/json";
import { parseExactly } from "#core/json/json-reader";
import { isLongerThan } from "#core/json/json-size";
import type { Prompt, Resource, ResourceTemplate, Unchecked } from "./mcp-types";
import { MAX_URI_LENGTH, publicUri } from "./resource-uri";

/*
 * What servers offer beside tools, as their lists have it: prompts, resource templates, resources.
 */

/** Larger ones are no definitions. In UTF-16 units of JSON. */
export const MAX_DEFINITION_SIZE = 131_072;
const MAX_OWN_NAME_LENGTH = 1_000;

export type PromptDefinition = Unchecked<Prompt> & Pick<Prompt, "name">;
export type TemplateDefinition = Unchecked<ResourceTemplate> & Pick<ResourceTemplate, "uriTemplate">;
export type ResourceDefinition = Unchecked<Resource> & Pick<Resource, "uri">;

/** Each is null for what no client could use. */
export const promptDefinition = (value: unknown): PromptDefinition | null => {
  const kept = keptOf(value);
  const name = kept?.["name"];
  return kept && typeof name === "string" && name !== "" && name.length <= MAX_OWN_NAME_LENGTH
    ? { ...kept, name }
    : null;
};

export const templateDefinition = (value: unknown): TemplateDefinition | null => {
  const kept = keptOf(value);
  const uriTemplate = kept?.["uriTemplate"];
  return kept && isUri(uriTemplate) ? { ...kept, uriTemplate } : null;
};

export const resourceDefinition = (value: unknown): ResourceDefinition | null => {
  const kept = keptOf(value);
  const uri = kept?.["uri"];
  return kept && isUri(uri) ? { ...kept, uri } : null;
};

const isUri = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= MAX_URI_LENGTH;

const keptOf = (value: unknown): JsonRecord | null => {
  if (!isRecord(value) || isLongerThan(value, MAX_DEFINITION_SIZE)) return null;
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null));
};

/** A stored definition, as it is shown under its public name. */
export const shownPrompt = (json: string, name: string): PromptDefinition => ({ ...recordIn(json), name });

export const shownTemplate = (json: string, slug: string, uriTemplate: string): TemplateDefinition => {
  const definition = recordIn(json);
  return { ...definition, uriTemplate, name: nameOf(definition, uriTemplate), ...links(definition, slug) };
};

export const shownResource = (definition: ResourceDefinition, slug: string): ResourceDefinition => {
  const uri = publicUri(slug, definition.uri);
  return { ...definition, uri, name: nameOf(definition, uri), ...links(definition, slug) };
};

/** The protocol asks for one. */
const nameOf = ({ name }: JsonRecord, uri: string): string => (typeof name === "string" ? name : uri);

/** `_meta` of a definition, where it points at an MCP App. */
const links = (definition: JsonRecord, slug: string): JsonRecord => {
  const _meta = withAppLink(definition["_meta"], slug);
  return _meta === undefined ? {} : { _meta };
};

const recordIn = (json: string): JsonRecord => {
  const value = parseExactly(json);
  return isRecord(value) ? value : {};
};

/**
 * `_meta` with the address of its MCP App as callers read it: `ui.resourceUri`, and `ui/resourceUri`, as it was written
 * before (SEP-1865).
 */
export const withAppLink = (meta: unknown, slug: string): unknown => {
  if (!isRecord(meta)) return meta;
  const { ui } = meta;
  const flat = meta["ui/resourceUri"];
  const mapped: JsonRecord = { ...meta };
  if (typeof flat === "string") mapped["ui/resourceUri"] = publicUri(slug, flat);
  if (isRecord(ui) && typeof ui["resourceUri"] === "string") {
    mapped["ui"] = { ...ui, resourceUri: publicUri(slug, ui["resourceUri"]) };
  }
  return mapped;
};
