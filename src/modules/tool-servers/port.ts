import type { ToolPin, ToolServer } from "#core/tool";
import type { ToolFailureReason } from "#upstream/tool-port";

/*
 * What managing tool servers asks of those who can talk to one.
 */

/** What a live server said. `tools` are its pins afterwards; where it did not answer, as they were. */
export type Looked =
  | {
      readonly ok: true;
      readonly tools: readonly ToolPin[];
      readonly ms: number;
      /** The MCP version spoken, where it is known. */
      readonly protocol: string | null;
    }
  | {
      readonly ok: false;
      readonly tools: readonly ToolPin[];
      readonly reason: ToolFailureReason;
      /** For people; names neither content nor secrets. */
      readonly problem: string;
    };

/** Connects, lists, takes the list in. A server that does not answer is a value. */
export type Look = (server: ToolServer) => Promise<Looked>;

/** What came back from a tool server's OAuth server, through the person's browser. */
export type SignInAnswer = {
  readonly state: string;
  readonly code: string | null;
  /** RFC 6749 §4.1.2.1. */
  readonly error: string | null;
  /** RFC 9207. */
  readonly issuer: string | null;
};

/** Sign-in of a person at a tool server's own OAuth server. Both throw `ToolFailure`. */
export type SignIn = {
  /** The address the person opens in a browser. It is good once, and for some minutes. */
  begin(server: ToolServer, userId: string): Promise<string>;
  /** The id of the server that is signed in at now. Null for a state nobody waits for: unknown, used or expired. */
  finish(answer: SignInAnswer): Promise<string | null>;
};
