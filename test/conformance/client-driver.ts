import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { credentialsPurpose, type ToolCredentials, type ToolServer } from "#model/tools/tool";
import { systemClock } from "#platform/clock";
import { jsonLog } from "#platform/log";
import { openSecret, sealSecret } from "#platform/sealing";
import { mcpConnector } from "#upstream/mcp/connector";
import { operatorFetch } from "#upstream/mcp/guarded-fetch";
import { toolSignIn, type UpstreamSignInStore } from "#upstream/mcp/oauth-sign-in";
import { ToolFailure, type ToolUpstream } from "#upstream/tool-port";

/*
 * What the conformance suite runs as "a client": the hub's own way to tool servers, and a person who signs in
 * wherever he is sent. Ends with 0 when all tools were called.
 */

/** Of the drivers that the suite has started. */
const AT_ONCE = 4;
/** More sign-ins than this a person would not put up with. */
const MAX_SIGN_INS = 2;
const CALLBACK = "http://localhost:9/callback";
/** Where the suite expects a client that publishes its metadata to have it. */
const CLIENT_URL = "https://conformance-test.local/client-metadata.json";

const { MCP_CONFORMANCE_SCENARIO: scenario = "", MCP_CONFORMANCE_CONTEXT: given = "{}" } = Bun.env;
const parsed = parseJson(given);
const context: JsonRecord = isRecord(parsed) ? parsed : {};
const url = process.argv.at(-1) ?? "";

const key = crypto.getRandomValues(new Uint8Array(32));
const seal = (purpose: string, secret: string) => sealSecret(key, purpose, secret);
const open = (purpose: string, sealed: string) => openSecret(key, purpose, sealed);

const credentials = (): ToolCredentials => {
  const { client_id: id, client_secret: secret } = context;
  const client = {
    client_id: typeof id === "string" ? id : null,
    client_secret: typeof secret === "string" ? secret : null,
  };
  if (scenario === "auth/client-credentials-basic") {
    const { client_id, client_secret } = client;
    return { kind: "client_credentials", client_id: client_id ?? "", client_secret: client_secret ?? "", scope: null };
  }
  return { kind: "authorization_code", ...client, scope: null };
};

const server: ToolServer = {
  id: "suite",
  owner_id: "person",
  slug: "suite",
  transport: "streamable-http",
  url,
  command: null,
  given_by: "operator",
  active: true,
  // The other scenarios know nothing of signing in.
  credential_kind: scenario.startsWith("auth/") ? credentials().kind : "none",
  sealed_credentials: scenario.startsWith("auth/")
    ? seal(credentialsPurpose("suite"), JSON.stringify(credentials()))
    : null,
  credential_version: 1,
  call_ms: null,
  list_ms: null,
  published_at: null,
  published_as: null,
  protocol: null,
  elicitation_hosts: [],
  created_at: 0,
};

/** One person and one server: nobody comes between. */
const memory = (): UpstreamSignInStore => {
  let grant: { readonly sealed: string; readonly version: number } | null = null;
  const pending = new Map<string, Parameters<UpstreamSignInStore["beginAuthorization"]>[0]>();
  return {
    byId: async () => server,
    grant: async () => grant,
    saveGrant: async (_id, expected, sealed) => {
      if ((grant?.version ?? 0) !== expected) return false;
      grant = { sealed, version: expected + 1 };
      return true;
    },
    beginAuthorization: async (begun) => {
      pending.set(begun.state_hash, begun);
    },
    consumeAuthorization: async (hash) => {
      const taken = pending.get(hash) ?? null;
      pending.delete(hash);
      return taken;
    },
  };
};

const store = memory();

const connect = mcpConnector({
  version: "0.0.0",
  limits: { connectMs: 30_000, handshakeMs: 30_000, listMs: 30_000, resultBytes: 1_048_576 },
  allowPrivate: [],
  open,
  seal,
  grants: store,
  runsPrograms: true,
  isAskable: true,
  pidDirectory: "/nonexistent",
  environment: {},
  log: jsonLog("error", (line) => process.stderr.write(line), systemClock),
  now: systemClock,
});

const signIn = toolSignIn({
  store,
  fetchFor: () => operatorFetch(),
  open,
  seal,
  callbackUrl: () => CALLBACK,
  clientUrl: () => (scenario === "auth/basic-cimd" ? CLIENT_URL : null),
  now: systemClock,
});

/** The browser: goes where it is sent, and is sent back at once. */
const signInOnce = async (): Promise<void> => {
  const page = await fetch(await signIn.begin(server, "person", "any_browser"), { redirect: "manual" });
  const back = new URL(page.headers.get("location") ?? "", CALLBACK).searchParams;
  const answer = { code: back.get("code"), error: back.get("error"), issuer: back.get("iss") };
  const done = await signIn.finish({ ...answer, state: back.get("state") ?? "" }, null);
  if (done.kind !== "signed_in") throw new Error("nobody waits for this sign-in");
};

type Listed = { readonly name: string; readonly inputSchema: JsonRecord };

const listed = (tool: unknown): readonly Listed[] => {
  if (!isRecord(tool) || typeof tool["name"] !== "string" || !isRecord(tool["inputSchema"])) return [];
  return [{ name: tool["name"], inputSchema: tool["inputSchema"] }];
};

/** What the scenario asks for, else anything the schema takes. */
const argumentsFor = ({ name, inputSchema }: Listed, first: Listed | undefined): JsonRecord => {
  const wanted = Array.isArray(context["toolCalls"]) ? context["toolCalls"].filter(isRecord) : [];
  const call = wanted.find((it) => it["name"] === name);
  if (call && isRecord(call["arguments"])) return call["arguments"];
  const properties = isRecord(inputSchema["properties"]) ? inputSchema["properties"] : {};
  return Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => {
      if (key === "schema") return [key, first?.inputSchema];
      const type = isRecord(schema) ? schema["type"] : "string";
      return [key, type === "number" || type === "integer" ? 1 : type === "boolean" ? true : "x"];
    }),
  );
};

/** What a caller answers who is asked back (MRTR): yes to everything. */
const answersTo = (result: JsonRecord): JsonRecord => {
  const asked = isRecord(result["inputRequests"]) ? Object.keys(result["inputRequests"]) : [];
  const yes = { action: "accept", content: { confirmed: true } };
  const { requestState } = result;
  return {
    inputResponses: Object.fromEntries(asked.map((key) => [key, yes])),
    ...(requestState === undefined ? {} : { requestState }),
  };
};

const useAllTools = async (upstream: ToolUpstream): Promise<void> => {
  const { tools } = await upstream.list(AbortSignal.timeout(60_000));
  const all = tools.flatMap(listed);
  for (const tool of all) {
    const call = (extra: JsonRecord) =>
      upstream.call({
        name: tool.name,
        arguments: argumentsFor(tool, all[0]),
        extra,
        meta: {},
        clientCapabilities: { elicitation: {} },
        inputSchema: tool.inputSchema,
        silenceMs: 60_000,
        signal: AbortSignal.timeout(60_000),
        onProgress: null,
        questions: { ask: async (params) => ({ kind: "result", result: filledIn(params) }), completed: () => {} },
      });
    const answer = await call({});
    const asksBack = answer.kind === "result" && answer.result["resultType"] === "input_required";
    if (asksBack) await call(answersTo(answer.result));
  }
};

/** A person who leaves every field of a form as it is. */
const filledIn = ({ requestedSchema }: JsonRecord): JsonRecord => {
  const properties = isRecord(requestedSchema) ? requestedSchema["properties"] : {};
  const fields = Object.entries(isRecord(properties) ? properties : {});
  const given = fields.flatMap(([name, field]) =>
    isRecord(field) && "default" in field ? [[name, field["default"]]] : [],
  );
  return { action: "accept", content: Object.fromEntries(given) };
};

const run = async (): Promise<void> => {
  const upstream = connect(server, { onListChanged: () => {} });
  try {
    for (let signIns = 0; ; signIns += 1) {
      try {
        return await useAllTools(upstream);
      } catch (error) {
        const mayMend = error instanceof ToolFailure && error.reason === "unauthorized" && signIns < MAX_SIGN_INS;
        if (!mayMend || server.credential_kind !== "authorization_code") throw error;
        await signInOnce();
      }
    }
  } finally {
    await upstream.close();
  }
};

/**
 * The suite runs all of its scenarios at once, and a server that is silent for some seconds is taken for one of another
 * era: a few of them at a time are as quick, and each is answered in its time.
 */
const turn = async (): Promise<Disposable> => {
  const { CONFORMANCE_TURNS: folder } = Bun.env;
  if (folder === undefined) return { [Symbol.dispose]: () => {} };
  for (let n = 0; ; n = (n + 1) % AT_ONCE) {
    const place = join(folder, String(n));
    try {
      mkdirSync(place);
      return { [Symbol.dispose]: () => rmdirSync(place) };
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    await Bun.sleep(20);
  }
};

{
  using _turn = await turn();
  await run();
}
process.exit(0);
