import type { JsonRecord } from "#core/json/json";
import type { VerdictSystem } from "#model/verdict";
import type { ClientId } from "./ids";

/** What a client is pointed at. */
export type Target = {
  /** The hub's address, without a slash at its end. */
  readonly hub: string;
  readonly token: string;
  /** Every model the token may use. */
  readonly models: readonly string[];
  /** The model the client begins with; null leaves what it has. */
  readonly model: string | null;
  /** How hooks start this program. */
  readonly guardhouse: string;
};

/** Where a client is run, as far as the places of its files depend on it. */
export type Places = {
  readonly platform: "linux" | "darwin" | "win32";
  readonly home: string;
  readonly variable: (name: string) => string | undefined;
};

/** A place in a file: names from the outermost on. */
export type At = readonly string[];

/** One thing a file is to have. What else it holds stays as it is. */
export type Entry =
  | { readonly at: At; readonly value: unknown }
  /** Must not be there: it would take precedence over what is set. */
  | { readonly at: At; readonly absent: true }
  | ItemEntry;

/** One item of a list; `mark` is in what is written of it, and in nobody else's. */
export type ItemEntry = { readonly at: At; readonly item: JsonRecord; readonly mark: string };

/** What a file holds: entries among others', or a text that is the whole file. */
export type Contents =
  | { readonly format: "json" | "toml" | "env"; readonly entries: readonly Entry[] }
  | { readonly format: "sh" | "powershell" | "yaml"; readonly text: string };

export type ClientFile = {
  /** Where it may be: the first that is there, else the first. */
  readonly paths: readonly [string, ...string[]];
  readonly contents: Contents;
};

/** A file for a fleet: written by the administrator of the machines, not by the person at one. */
export type ManagedFile = {
  readonly name: string;
  readonly places: Readonly<Record<Places["platform"], string>>;
  readonly contents: Contents;
};

/** Proves that the client's hooks are judged: what it would send of a prompt, and whether the answer refuses it. */
export type HookProof = {
  readonly harness: VerdictSystem;
  readonly prompt: (text: string) => JsonRecord;
  readonly isRefused: (answer: JsonRecord) => boolean;
};

/** How one client is pointed at a hub: all that `connect`, the page and docs/clients.md know of it. */
export type Client = {
  readonly id: ClientId;
  readonly label: string;
  /** How it calls models; chat completions where nothing is said. */
  readonly api?: "messages" | "responses";
  /** What of it the hub sees once it is connected. */
  readonly seen: string;
  /** What stays outside. */
  readonly unseen: string;
  /** Where the client takes the token from. */
  readonly token: string;
  readonly files: (target: Target, places: Places) => readonly ClientFile[];
  /** What is done with the files, where the client does not read them by itself. */
  readonly use?: string;
  /** What it takes by hand alone, as it is entered there. */
  readonly byHand?: (target: Target) => { readonly place: string; readonly text: string };
  readonly hook?: HookProof;
  readonly managed?: (target: Target) => readonly ManagedFile[];
};

/** A path below a folder, as the platform writes it. */
export const path = ({ platform }: Places, ...parts: readonly string[]): string =>
  parts.join(platform === "win32" ? "\\" : "/");

/** A folder below the home of the person who runs the client. */
export const inHome = (places: Places, ...parts: readonly string[]): string => path(places, places.home, ...parts);

/** Where programs keep their settings: by XDG, and on Windows in the roaming profile. */
export const configHome = (places: Places): string =>
  places.platform === "win32"
    ? (places.variable("APPDATA") ?? inHome(places, "AppData", "Roaming"))
    : (places.variable("XDG_CONFIG_HOME") ?? inHome(places, ".config"));

/** The same on macOS for programs that follow its own convention. */
export const applicationSupport = (places: Places): string =>
  places.platform === "darwin" ? inHome(places, "Library", "Application Support") : configHome(places);

/** The name under which clients know the hub: as a provider of models, and as an MCP server. */
export const NAME = "hub";
export const TITLE = "Guardhouse";

export const gatewayOf = ({ hub }: Target): string => `${hub}/mcp/gateway`;
export const apiOf = ({ hub }: Target): string => `${hub}/v1`;

/** Tokens a model is taken to read and write, where a client wants to be told. */
export const CONTEXT_TOKENS = 128_000;
export const ANSWER_TOKENS = 16_000;
