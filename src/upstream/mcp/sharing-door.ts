import type { JsonRecord } from "#core/json/json";
import { logLevelOf, reaches } from "#model/tools/log-level";
import { causeOf, type Log } from "#platform/log";
import { type QuestionListener, type QuestionReply, type SharedTools, ToolFailure } from "#upstream/tool-port";
import { AROUND_BYTES, type Asked, readAsked, type Told, textOf } from "./sharing-wire.ts";

/** Answered to a question about a server that this process does not run, or not with these credentials. */
export const NOT_HERE = 409;

/** How often a process that works on an answer says that it lives. Milliseconds. */
export const OWNER_BEAT_MS = 3_000;

/** What a server says beside one call that may wait for the process which asked: more is dropped. */
const MAX_WAITING = 100;

type DoorNeeds = {
  /** Of a socket. */
  readonly path: string;
  readonly tools: SharedTools;
  readonly isOwned: (serverId: string) => boolean;
  readonly longest: number;
  readonly log: Log;
};

/** Where other processes of the hub ask this one for what the servers it runs can do. */
export const ownerDoor = ({ path, tools, isOwned, longest, log }: DoorNeeds) => {
  const underWay = new Set<Promise<void>>();
  const questions = new Map<string, (reply: QuestionReply) => void>();
  const listener = Bun.serve({
    unix: path,
    maxRequestBodySize: longest + AROUND_BYTES,
    fetch: async (request) => {
      const asked = await readAsked(await request.text());
      const server = asked && isOwned(asked.serverId) ? tools.find(asked.serverId, asked.credentialVersion) : null;
      if (asked === null || server === null) return new Response(null, { status: NOT_HERE });
      if (asked.reply) {
        questions.get(asked.reply.question)?.(asked.reply.reply);
        return new Response(null);
      }
      const lines = new TransformStream<string, string>();
      const writer = lines.writable.getWriter();
      const tell = async (told: Told): Promise<void> => writer.write(`${await textOf(told)}\n`);
      // An empty line is a sign of life. The runtime closes connections that are silent for 10 s.
      // A write fails when the process that asked is gone: the request's signal ends the work then.
      const beats = setInterval(() => void writer.write("\n").catch(() => undefined), OWNER_BEAT_MS);
      const work = answer({ tools, server, asked, tell, questions, signal: request.signal })
        .catch((error: unknown) => {
          if (request.signal.aborted) return; // who asked is gone
          log.error("tools.not_answered", { server_id: server.id, ...causeOf(error) });
        })
        .then(() => writer.close())
        .catch(() => undefined) // who asked is gone
        .finally(() => {
          clearInterval(beats);
          underWay.delete(work);
        });
      underWay.add(work);
      return new Response(lines.readable.pipeThrough(new TextEncoderStream()));
    },
  });
  return {
    stop: async (): Promise<void> => {
      while (underWay.size > 0) await Promise.all(underWay);
      await listener.stop(true);
    },
  };
};

type Answering = {
  readonly tools: SharedTools;
  readonly server: NonNullable<ReturnType<SharedTools["find"]>>;
  readonly asked: Asked;
  readonly tell: (told: Told) => Promise<void>;
  /** Open ones by their ids: what settles each. */
  readonly questions: Map<string, (reply: QuestionReply) => void>;
  readonly signal: AbortSignal;
};

const answer = async ({ tools, server, asked, tell, questions, signal }: Answering): Promise<void> => {
  try {
    if (asked.call === null) return await tell({ listing: await tools.list(server, signal) });
    let told = Promise.resolve();
    let waiting = 0;
    const say = (next: Told): void => {
      waiting += 1;
      told = told
        .then(() => tell(next))
        .catch(() => undefined) // who asked is gone
        .then(() => {
          waiting -= 1;
        });
    };
    const sayInPassing = (next: Told): void => {
      if (waiting < MAX_WAITING) say(next);
    };
    if ("watch" in asked.call) {
      const onBegun = () => say({ watched: "begun" });
      const onUpdated = () => sayInPassing({ watched: "updated" });
      await tools.watch(server, { uri: asked.call.watch, signal, onBegun, onUpdated });
      await told;
      return await tell({ watched: "over" });
    }
    const { wantsProgress, isAskable, logLevel, ...call } = asked.call;
    const beside = {
      signal,
      onProgress: wantsProgress ? (progress: JsonRecord) => sayInPassing({ progress }) : null,
      questions: isAskable ? relayed(say, sayInPassing, questions, signal) : null,
      log: logLevel && {
        level: logLevel,
        tell: (logged: JsonRecord) => {
          const level = logLevelOf(logged["level"]);
          if (level !== null && reaches(level, logLevel)) sayInPassing({ logged });
        },
      },
    };
    const said = await ("method" in call
      ? tools.ask(server, { ...call, ...beside })
      : tools.call(server, { ...call, ...beside }));
    await told;
    await tell({ answer: said });
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    await tell({ failure: error });
  }
};

/** Questions go to the process that asked for the call; one that is gone, and its call with it, is no longer waited for. */
const relayed = (
  say: (told: Told) => void,
  sayInPassing: (told: Told) => void,
  open: Answering["questions"],
  signal: AbortSignal,
): QuestionListener => ({
  ask: (params) =>
    new Promise((resolve) => {
      const question = crypto.randomUUID();
      const settle = (reply: QuestionReply): void => {
        open.delete(question);
        signal.removeEventListener("abort", leave);
        resolve(reply);
      };
      const leave = (): void => settle({ kind: "result", result: { action: "cancel" } });
      open.set(question, settle);
      signal.addEventListener("abort", leave, { once: true });
      say({ question, params });
    }),
  completed: (completed) => sayInPassing({ completed }),
});
