import { createServer } from "node:net";
import { type Address, parseListen } from "#config/address";
import { GuardError } from "#core/errors";
import type { AccessService } from "#features/access/service";
import type { ToolServerService } from "#features/tool-servers/service";
import type { Agent } from "#model/agent";
import { CLI_ACTOR } from "#model/change";
import type { Role, User } from "#model/person";
import { REVIEWER_MODEL, type ScriptedReviewer } from "./demo-reviewer";
import { CliExit, EXIT } from "./exit";
import { allPages } from "./output";
import type { CliSession } from "./session";

/** Who the tour acts as. The tokens are of this run only. */
export type Cast = {
  readonly agentToken: string;
  readonly humanToken: string;
  readonly admin: string;
  readonly password: string;
};

/** And a reviewer's session, who closes the loop. */
export type LoopCast = Cast & { readonly reviewerSession: string };

const ADMIN = "admin@demo.test";
const USER = "sam@demo.test";
const AGENT = "support-bot";
const TOOLS = "demo";
const REVIEWER = "rita@demo.test";
export const REVIEWER_PROVIDER = "demo-reviewer";
const DAY_MS = 86_400_000;
const RANDOM_PASSWORD_BYTES = 18;
const PORTS_TRIED = 50;

/** In a kept data directory they are there from the last time. */
const person = async (access: AccessService, email: string, role: Role, password: string | null): Promise<User> =>
  (await access.createUser(CLI_ACTOR, { email, name: null, role, password })) ?? access.userByEmail(email);

const agentOf = async (access: AccessService, owner: User): Promise<Agent> =>
  (await access.createAgent(CLI_ACTOR, owner, AGENT)) ?? access.agent(AGENT, owner.email);

/** This program, serving the demo's tools: the same one compiled and from source. */
const toolsCommand = (): string[] => {
  const isCompiled = import.meta.path.startsWith("/$bunfs/") || import.meta.path.startsWith("B:\\~BUN\\");
  return [process.execPath, ...(isCompiled ? [] : [Bun.main]), "demo", "tools"];
};

/** A tool server of the user's, for its agent too. In a kept data directory it is there from the last time. */
const toolServer = async (tools: ToolServerService, owner: User, agent: Agent): Promise<void> => {
  const own = await allPages((window) => tools.page(owner.id, window));
  if (own.some(({ slug }) => slug === TOOLS)) return;
  const place = { transport: "stdio", command: toolsCommand() } as const;
  await tools.add(CLI_ACTOR, owner, { slug: TOOLS, place, credentials: null, call_ms: null, list_ms: null });
  await tools.assign(CLI_ACTOR, await tools.find(TOOLS, owner), agent.id, {});
};

/** The demo's reviewer model; a kept data directory has it from the last run, at another port. */
const addReviewer = async (
  { parts: { providerService: providers } }: CliSession,
  { baseUrl }: ScriptedReviewer,
): Promise<void> => {
  await providers.remove(CLI_ACTOR, REVIEWER_PROVIDER).catch((error: unknown) => {
    if (!(error instanceof GuardError && error.code === "not_found")) throw error;
  });
  await providers.add(CLI_ACTOR, {
    name: REVIEWER_PROVIDER,
    baseUrl,
    models: [REVIEWER_MODEL],
    apiKey: null,
    priority: 100,
  });
};

export const setUpCast = async (
  session: CliSession,
  tools: ToolServerService,
  reviewer: ScriptedReviewer | null,
): Promise<LoopCast> => {
  const { access } = session;
  const password = Buffer.from(crypto.getRandomValues(new Uint8Array(RANDOM_PASSWORD_BYTES))).toString("base64url");
  await person(access, ADMIN, "admin", password);
  const user = await person(access, USER, "member", null);
  const agent = await agentOf(access, user);
  await toolServer(tools, user, agent);
  const common = { user, lifetimeMs: DAY_MS };
  const forAgent = await access.issueToken(CLI_ACTOR, { ...common, agent, name: "demo agent" });
  const forHuman = await access.issueToken(CLI_ACTOR, { ...common, agent: null, name: "demo" });
  if (reviewer) await addReviewer(session, reviewer);
  const rita = reviewer && (await person(access, REVIEWER, "reviewer", null));
  const opened = rita && (await session.parts.sessionService.create(CLI_ACTOR, rita, DAY_MS));
  return {
    agentToken: forAgent.secret,
    humanToken: forHuman.secret,
    admin: ADMIN,
    password,
    reviewerSession: opened?.key ?? "",
  };
};

const isFree = ({ hostname, port }: Address): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, hostname, () => probe.close(() => resolve(true)));
  });

/** The address asked for, or the next free port when nobody asked for this one. Throws a `Stop` when it is taken. */
export const freeAddress = async (listen: string, mayMove: boolean): Promise<string> => {
  const { hostname, port } = parseListen(listen);
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  for (let tried = 0; tried < (mayMove ? PORTS_TRIED : 1); tried++) {
    if (await isFree({ hostname, port: port + tried })) return `${host}:${port + tried}`;
  }
  throw new CliExit(EXIT.addressInUse, `${listen} is in use; choose another with --listen HOST:PORT`);
};

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Shaped like an access key id of AWS, made up here and now: it opens nothing. */
export const fakeAccessKey = (): string => {
  const random = crypto.getRandomValues(new Uint8Array(16));
  return `AKIA${Array.from(random, (byte) => BASE32.charAt(byte % 32)).join("")}`;
};
