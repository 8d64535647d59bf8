import type { Input as RouteInput } from "#dashboard/api/client";
import type { ItemOf } from "#dashboard/parts/hooks";
import { MODEL_APIS, type ModelApiName } from "#model/model-api";
import {
  CREDENTIAL_FIELDS,
  CREDENTIAL_SOURCES,
  type CredentialField,
  type CredentialSource,
  DEFAULT_APIS,
  defaultSource,
  type ProviderKind,
  SOURCE_RULES,
} from "#model/provider";

export type ListedProvider = ItemOf<"GET /api/providers">;
export type ProviderBody = RouteInput<"POST /api/providers">["body"];
export type ProviderPatchBody = RouteInput<"PATCH /api/providers/:id">["body"];

const USUAL_ORDER = 100;

const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== "");

/** What is in the fields of the form. */
export type ProviderDraft = {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly url: string;
  readonly models: string;
  readonly apis: readonly ModelApiName[];
  /** `NAME=UPSTREAM_NAME` line by line. */
  readonly aliases: string;
  readonly source: CredentialSource;
  readonly fields: Readonly<Partial<Record<CredentialField, string>>>;
  readonly order: string;
  readonly key: string;
  readonly dropsKey: boolean;
};

/** Sources that may be given here: what the machine is known by is for its operator. */
export const sourcesOf = (kind: ProviderKind): CredentialSource[] =>
  CREDENTIAL_SOURCES.filter((source) => SOURCE_RULES[source].kinds.includes(kind) && !SOURCE_RULES[source].isOfMachine);

export const isFixed = (provider: ListedProvider | undefined): boolean =>
  provider !== undefined && (SOURCE_RULES[provider.credential.source].isOfMachine || provider.key_file);

export const draftOf = (provider: ListedProvider | undefined): ProviderDraft => {
  const kind = provider?.kind ?? "openai";
  const { source = defaultSource(kind), ...fields } = provider?.credential ?? {};
  return {
    name: provider?.name ?? "",
    kind,
    url: provider?.base_url ?? "https://",
    source,
    fields,
    models: provider?.models.join("\n") ?? "",
    apis: provider?.apis ?? DEFAULT_APIS[kind],
    aliases: Object.entries(provider?.aliases ?? {})
      .map(([asked, upstream]) => `${asked}=${upstream}`)
      .join("\n"),
    order: String(provider?.priority ?? USUAL_ORDER),
    key: "",
    dropsKey: false,
  };
};

/** The draft with what goes with another kind. */
export const ofKind = (draft: ProviderDraft, kind: ProviderKind): ProviderDraft => ({
  ...draft,
  kind,
  apis: DEFAULT_APIS[kind],
  source: defaultSource(kind),
  fields: {},
});

const aliasesOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    wordsOf(text).map((line) => {
      const at = line.indexOf("=");
      return at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
    }),
  );

/** The fields that a source has, in the order they are shown in. */
export const fieldsOf = (source: CredentialSource): CredentialField[] => {
  const { needs, takes } = SOURCE_RULES[source];
  return CREDENTIAL_FIELDS.filter((field) => needs.includes(field) || takes.includes(field));
};

const credentialOf = ({ source, fields }: ProviderDraft) => {
  const given = fieldsOf(source).flatMap((field) => {
    const value = fields[field]?.trim() ?? "";
    return value === "" ? [] : [[field, value] as const];
  });
  return { source, ...Object.fromEntries(given) };
};

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const commonOf = ({ name, models, order, aliases }: ProviderDraft) => ({
  name: name.trim(),
  models: wordsOf(models),
  priority: Number(order),
  aliases: aliasesOf(aliases),
});

const inOrder = (apis: readonly ModelApiName[]): ModelApiName[] => MODEL_APIS.filter((api) => apis.includes(api));

export const bodyOf = (draft: ProviderDraft): ProviderBody => {
  const { kind, url, apis, key } = draft;
  return {
    ...commonOf(draft),
    kind,
    base_url: url.trim(),
    credential: credentialOf(draft),
    api_key: key === "" ? null : key,
    ...(isSame(inOrder(apis), DEFAULT_APIS[kind]) ? {} : { apis: inOrder(apis) }),
  };
};

/** Of a provider that is there: the address only where it moves, key and credential only where they are touched. */
export const patchOf = (draft: ProviderDraft, provider: ListedProvider): ProviderPatchBody => {
  const { url, apis, key, dropsKey } = draft;
  const isMoved = url !== provider.base_url;
  const credential = credentialOf(draft);
  const isOther = !isFixed(provider) && !isSame(credential, { ...provider.credential });
  return {
    ...commonOf(draft),
    ...(isMoved && { base_url: url.trim() }),
    ...(isSame(inOrder(apis), provider.apis) ? {} : { apis: inOrder(apis) }),
    ...(isOther && { credential }),
    ...(isMoved || isOther || key !== "" || dropsKey ? { api_key: key === "" ? null : key } : {}),
  };
};
