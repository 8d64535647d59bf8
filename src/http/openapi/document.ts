import type { ErrorCode } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import { type TSchema, Type } from "#core/schema";
import { codesOf, ErrorEnvelope, errorAnswers } from "./errors";
import { exampleOf } from "./example";
import { Components } from "./json-schema";
import {
  type Answer,
  type DocumentedBody,
  type ErrorForm,
  type RegisteredRoute,
  type RouteDoc,
  routeDocOf,
} from "./route-doc";
import { securitySchemes } from "./security";
import { TAGS } from "./tags";

type Hub = {
  readonly routes: readonly RegisteredRoute[];
  readonly publicUrl: string;
  readonly version: string;
};

const METHODS = ["get", "put", "post", "delete", "options", "patch"] as const;
const JSON_MEDIA = "application/json";

const DESCRIPTION = `One hub that governs AI agents. \`/v1\` is for callers with a gateway token: model APIs, the \
guard, reports and tuning. \`/mcp/gateway\` is for tool clients. \`/api\` is for people, by session. Every answer \
carries \`x-request-id\`; every error has one envelope and a code of a closed list.`;

/** The OpenAPI document of what the router serves: nothing is listed that is not there, and nothing left out. */
export class ApiDocument {
  private readonly components = new Components();
  private readonly refusals: Record<string, unknown> = {};
  private readonly base: string;

  constructor(private readonly hub: Hub) {
    this.base = new URL(hub.publicUrl).pathname.replace(/\/+$/, "");
  }

  make(): JsonRecord {
    const envelope = this.components.of(ErrorEnvelope);
    const paths = new Map<string, JsonRecord>();
    const tags = new Set<string>();
    for (const route of this.hub.routes) {
      const routeDescription = descriptionOf(route);
      for (const tag of routeDescription.tags) tags.add(tag);
      const isBelow = route.path === this.base || route.path.startsWith(`${this.base}/`);
      const path = templateOf(isBelow ? route.path.slice(this.base.length) || "/" : route.path, routeDescription.about);
      const outside: JsonRecord = isBelow ? {} : { servers: [{ url: new URL(this.hub.publicUrl).origin }] };
      const known = paths.get(path) ?? outside;
      const methods =
        route.method === "ALL" ? (routeDescription.about.methods ?? METHODS) : [route.method.toLowerCase()];
      for (const method of methods) known[method] = this.operation(method, path, routeDescription, envelope);
      for (const [method, detail] of Object.entries(routeDescription.about.byMethod ?? {})) {
        known[method] = this.operation(method, path, descriptionOf({ ...route, hooks: { detail } }), envelope);
      }
      paths.set(path, known);
    }
    return this.whole(paths, tags);
  }

  private whole(paths: ReadonlyMap<string, JsonRecord>, tags: ReadonlySet<string>): JsonRecord {
    return {
      openapi: "3.1.0",
      info: { title: "Guardhouse", version: this.hub.version, description: DESCRIPTION, license: LICENSE },
      servers: [{ url: this.hub.publicUrl.replace(/\/+$/, "") }],
      tags: [...tags].sort().map((name) => ({ name, description: TAGS[name] ?? "" })),
      paths: Object.fromEntries([...paths].sort(([one], [other]) => (one < other ? -1 : 1))),
      components: {
        schemas: this.components.all(),
        responses: this.refusals,
        securitySchemes: securitySchemes(this.hub.publicUrl),
      },
    };
  }

  private operation(
    method: string,
    path: string,
    routeDescription: RouteDescription,
    envelope: JsonRecord,
  ): JsonRecord {
    const { about } = routeDescription;
    const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const kind = {
      security: routeDescription.security,
      needsFresh: routeDescription.isFresh,
      hasBody: about.body !== undefined,
      hasParams: params.length > 0,
      hasQuery: about.query !== undefined,
      isEarly: about.isEarly === true,
      isChange: method !== "get" && method !== "options",
    };
    const codes = codesOf(kind, about.errors ?? []);
    const roles = routeDescription.roles ? `For the roles ${routeDescription.roles.join(", ")}.` : "";
    const fresh = routeDescription.isFresh
      ? "Requires a session confirmed within ten minutes: POST /api/me/confirm."
      : "";
    const description = [about.description ?? "", roles, fresh].filter((text) => text !== "").join("\n\n");
    return {
      operationId: operationId(method, path),
      summary: routeDescription.summary,
      ...(description !== "" && { description }),
      tags: routeDescription.tags,
      ...(about.deprecated && { deprecated: true }),
      security: routeDescription.security,
      ...(routeDescription.open !== null && { "x-open": routeDescription.open }),
      ...(routeDescription.roles && { "x-roles": routeDescription.roles }),
      ...(routeDescription.isFresh && { "x-fresh": true }),
      parameters: this.parameters(params, about),
      ...(about.body && { requestBody: this.body(about.body) }),
      responses: this.withRefusals(this.answers(about.answers), codes, envelope, about.errorForm ?? null),
    };
  }

  /** A status that a route answers in its own way too has both: the HTTP entry comes before the route. */
  private withRefusals(
    answers: JsonRecord,
    codes: readonly ErrorCode[],
    envelope: JsonRecord,
    form: ErrorForm | null,
  ): JsonRecord {
    const schema = form === null ? envelope : this.components.of(form.schema);
    const refusals = errorAnswers(codes, schema, this.refusals, form);
    const both = Object.entries(answers).map(([status, answer]): [string, unknown] => {
      const refusal = refusals[status];
      if (!isRecord(refusal) || !isRecord(answer)) return [status, answer];
      const name = String(refusal["$ref"]).slice("#/components/responses/".length);
      return [status, { ...answer, content: { ...contentOf(this.refusals[name]), ...contentOf(answer) } }];
    });
    return { ...refusals, ...Object.fromEntries(both) };
  }

  private parameters(
    params: readonly string[],
    { params: said = {}, query = {}, required = [], headers = {} }: RouteDoc,
  ) {
    const one = (name: string, place: string, schema: TSchema, isRequired: boolean) => {
      const { description, ...shape } = this.components.of(schema);
      return {
        name,
        in: place,
        required: isRequired,
        ...(description !== undefined && { description }),
        schema: shape,
      };
    };
    return [
      ...params.map((name) => one(name, "path", said[name] ?? usualParam(name), true)),
      ...Object.entries(query).map(([name, schema]) => one(name, "query", schema, required.includes(name))),
      ...Object.entries(headers).map(([name, schema]) => one(name, "header", schema, required.includes(name))),
    ];
  }

  private body(given: TSchema | DocumentedBody): JsonRecord {
    const { schema, media = JSON_MEDIA, example, isOptional } = isSchema(given) ? asBody(given) : given;
    return { required: isOptional !== true, content: { [media]: this.content(schema, example) } };
  }

  private answers(given: RouteDoc["answers"]): JsonRecord {
    const entries = Object.entries(given).map(([status, answer]): [string, JsonRecord] => {
      const { description, headers, ...rest } = isSchema(answer) ? { schema: answer } : answer;
      const content = this.contents({ ...rest });
      return [
        status,
        {
          description: description ?? usualWords(Number(status)),
          ...(headers && { headers: shownHeaders(headers) }),
          ...(Object.keys(content).length > 0 && { content }),
        },
      ];
    });
    return Object.fromEntries(entries);
  }

  private contents({ schema, media, example, or }: Answer): JsonRecord {
    if (!schema && media === undefined) return {};
    return {
      [media ?? JSON_MEDIA]: schema ? this.content(schema, example) : { schema: { type: "string" }, example },
      ...(or && this.contents(or)),
    };
  }

  /** Every body gets an example: the one that was written for it, else one made of its schema. */
  private content(schema: TSchema, example: unknown): JsonRecord {
    const shown = this.components.of(schema);
    return { schema: shown, example: example === undefined ? exampleOf(shown, this.components.all()) : example };
  }
}

const contentOf = (answer: unknown): JsonRecord => {
  const content = isRecord(answer) ? answer["content"] : null;
  return isRecord(content) ? content : {};
};

const LICENSE = { name: "Apache-2.0", identifier: "Apache-2.0" };

type RouteDescription = {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly JsonRecord[];
  readonly open: string | null;
  readonly roles: readonly string[] | null;
  readonly isFresh: boolean;
  readonly about: RouteDoc;
};

const descriptionOf = (route: RegisteredRoute): RouteDescription => {
  const said = new Map<string, unknown>(Object.entries(route.hooks?.detail ?? {}));
  const [summary, tags, open] = [said.get("summary"), said.get("tags"), said.get("x-open")];
  return {
    summary: typeof summary === "string" ? summary : "",
    tags: textsIn(tags) ?? [],
    security: recordsIn(said.get("security")),
    open: typeof open === "string" ? open : null,
    roles: textsIn(said.get("x-roles")),
    isFresh: said.get("x-fresh") === true,
    about: routeDocOf(route),
  };
};

const textsIn = (list: unknown): string[] | null =>
  Array.isArray(list) ? list.filter((one) => typeof one === "string") : null;
const recordsIn = (list: unknown): JsonRecord[] => (Array.isArray(list) ? list.filter(isRecord) : []);

/** TypeBox's mark of what it has made; a record of ours has none. */
const isSchema = (given: TSchema | DocumentedBody | Answer): given is TSchema =>
  Object.getOwnPropertySymbols(given).length > 0;
const asBody = (schema: TSchema): DocumentedBody => ({ schema });

/** `/v1/models/*` as `/v1/models/{model}`. */
const templateOf = (path: string, { params = {} }: RouteDoc): string => {
  const rest = Object.keys(params).find((name) => !path.includes(`:${name}`)) ?? "path";
  return path.replace(/:(\w+)/g, "{$1}").replace("*", `{${rest}}`);
};

const operationId = (method: string, path: string): string =>
  method +
  path
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");

const usualParam = (name: string): TSchema =>
  /id$/.test(name) ? Type.String({ format: "uuid", description: "Id." }) : Type.String();

const usualWords = (status: number): string => {
  const known: Readonly<Record<number, string>> = { 201: "It was made.", 202: "Accepted.", 204: "Done." };
  return known[status] ?? "The answer.";
};

const shownHeaders = (headers: Readonly<Record<string, string>>): JsonRecord =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
  );
