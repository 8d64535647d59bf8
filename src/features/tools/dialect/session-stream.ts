import { GuardError } from "#core/errors";
import { LIST_CHANGES } from "#model/tools/mcp";
import { ChangeStream } from "./change-stream";
import type { ClientSession } from "./client-sessions";
import type { DialectNeeds, ToolExchange } from "./exchange";

/** How long resources are watched for a session without a stream: clients connect anew. Milliseconds. */
const WAIT_MS = 60_000;

const changed = (method: string, params: Readonly<Record<string, string>> = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", method, params });

/** `GET`: the stream of a session of the 2025 era, on which it hears of changes. Throws `GuardError`. */
export const answerSessionStream = (deps: DialectNeeds, exchange: ToolExchange, session: ClientSession): Response => {
  // A client that connects anew may do so before the hub has noticed that it was gone: it goes on watching what it did.
  const replaced = session.stream;
  session.stream = null;
  replaced?.end();
  const stream = ChangeStream.open(deps, exchange, {
    changes: LIST_CHANGES,
    messageOf: ({ method }) => changed(method),
    onLook: (now) => session.lookAs(now),
    onEnd: (isGone) => {
      if (session.stream !== own) return;
      session.stream = null;
      if (isGone) endUnheard(session);
      else session.stopWatching();
    },
  });
  if (!stream) {
    endUnheard(session);
    throw new GuardError("rate_limit_exceeded", "This token holds as many streams open as it may. Close another one.");
  }
  const own = {
    end: stream.end,
    tell: (uri: string) => stream.tell(changed("notifications/resources/updated", { uri })),
  };
  session.stream = own;
  const response = stream.response({ isSilent: true });
  session.lookAs(exchange.caller);
  return response;
};

/** Ends what the session watches, unless it has a stream in time. */
export const endUnheard = (session: ClientSession): void => {
  if (session.watched.size === 0 || session.stream) return;
  setTimeout(() => session.stream ?? session.stopWatching(), WAIT_MS).unref();
};
