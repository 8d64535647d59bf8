import { COMMANDS, commandLine } from "#core/command-line";
import { CLIENT_VARIABLES } from "#model/client-variables";
import type { Client, Contents, Places, Target } from "./client";
import { CONNECTED } from "./clients";
import { textOf } from "./example";
import { type Language, PROGRAMS, type Program, type Use } from "./programs";

/** One text that is pasted, and where. */
export type Snippet = {
  /** Null where it is a program that is nowhere yet. */
  readonly place: string | null;
  readonly language: Language;
  readonly text: string;
};

/** How a client is used with a key: what the page shows beside one, and docs/clients.md (`bun .ci/reference.ts --write`). */
export type Example = {
  readonly id: string;
  readonly label: string;
  /** What is to be known of it, a sentence or more each. */
  readonly facts: readonly string[];
  readonly uses: "models" | "tools";
  readonly snippets: (use: Use) => readonly Snippet[];
};

/** What stands for a key that is not shown any more. */
export const NO_TOKEN = "gw-live-…";
/** Built in, so that every example answers at once. */
export const ECHO_MODEL = "guardhouse/echo";

const SHOWN: Places = { platform: "linux", home: "~", variable: () => undefined };

const languageOf = ({ format }: Contents): Language => (format === "env" ? "text" : format);

const ofClient = (client: Client): Example => ({
  id: client.id,
  label: client.label,
  facts: [
    `Seen: ${client.seen}.`,
    `Not seen: ${client.unseen}.`,
    `Token: ${client.token}.`,
    ...(client.use === undefined ? [] : [`${client.use}.`]),
  ],
  uses: "models",
  snippets: ({ hub, token, model }) => {
    const target: Target = { hub, token, model, models: [model], guardhouse: "guardhouse" };
    const hand = client.byHand?.(target);
    return [
      {
        place: "a terminal",
        language: "sh",
        text: [
          `export ${CLIENT_VARIABLES.url}=${hub} ${CLIENT_VARIABLES.token}=${token}`,
          commandLine(COMMANDS.connectClient(client.id, model)),
        ].join("\n"),
      },
      ...client.files(target, SHOWN).map(
        ({ paths: [place], contents }): Snippet => ({
          place,
          language: languageOf(contents),
          text: textOf(contents),
        }),
      ),
      ...(hand ? [{ place: hand.place, language: "text" as const, text: hand.text }] : []),
    ];
  },
});

const ofProgram = ({ id, label, hint, uses, language, text }: Program): Example => ({
  ...{ id, label, facts: [hint], uses },
  snippets: (use) => [{ place: null, language, text: text(use) }],
});

const [curl, ...others] = PROGRAMS.map(ofProgram);

/** What is simplest first. */
export const EXAMPLES: readonly Example[] = [...(curl ? [curl] : []), ...CONNECTED.map(ofClient), ...others];
