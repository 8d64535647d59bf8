import type { SourceKind } from "#model/verdict";
import { signedNow } from "#platform/standard-webhooks";

/** A frame of the hub's own, as its source would send it. */
export type TestFrame = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const TEXT = "This is a test of the connection.";

type Making = { readonly secret: string; readonly id: string; readonly now: number };

/** Where sources of a kind ask, and a harmless question; null for one whose secret the hub does not keep. */
export const testFrameOf = (kind: SourceKind, { secret, id, now }: Making): TestFrame | null => {
  const path = SOURCE_PATHS[kind];
  switch (kind) {
    case "litellm":
      return null;
    case "copilot-studio": {
      const body = JSON.stringify({
        plannerContext: { userMessage: TEXT },
        toolDefinition: { name: "connection_test" },
        inputValues: { text: TEXT },
        conversationMetadata: { user: { id: "connection-test" } },
      });
      return { path: `${path}/analyze-tool-execution`, headers: { authorization: `Bearer ${secret}` }, body };
    }
    default: {
      const body = JSON.stringify({
        type: "prompt",
        request_id: id,
        actor: { type: "user", id: "connection-test" },
        source: { application: "config-test" },
        messages: [{ role: "user", content: [{ type: "text", text: TEXT }] }],
      });
      return { path, headers: signedNow(id, body, secret, now), body };
    }
  }
};

/** What is entered in the system; LiteLLM and Copilot Studio add the rest. */
export const SOURCE_PATHS: Readonly<Record<SourceKind, string>> = {
  anthropic: "/v1/guard/hooks/anthropic",
  cursor: "/v1/guard/hooks/cursor",
  "copilot-studio": "/v1/guard/hooks/copilot-studio",
  litellm: "/v1/guard/hooks/litellm",
};
