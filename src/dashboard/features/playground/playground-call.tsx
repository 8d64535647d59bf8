import { useMutation } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useState } from "react";
import { ECHO_MODEL } from "#clients/examples";
import { basePath } from "#dashboard/address/base-path";
import { unreachable } from "#dashboard/api/client";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip, StateChip } from "#dashboard/parts/chip";
import { CodeBlock } from "#dashboard/parts/copy";
import { Input, Select, TextArea } from "#dashboard/parts/field";
import { TextLink } from "#dashboard/parts/page";
import { Wrong } from "#dashboard/parts/states";
import { MODEL_APIS, type ModelApiName, SPOKEN } from "#model/model-api";

/** A text as a request of each API. */
const BODIES: Readonly<Record<ModelApiName, (model: string, text: string) => object>> = {
  chat: (model, text) => ({ model, messages: [{ role: "user", content: text }] }),
  responses: (model, text) => ({ model, input: text }),
  messages: (model, text) => ({ model, max_tokens: 1_024, messages: [{ role: "user", content: text }] }),
  embeddings: (model, text) => ({ model, input: text }),
  completions: (model, text) => ({ model, prompt: text }),
};
const CHOICES = MODEL_APIS.map((api) => ({ value: api, label: SPOKEN[api].name }));
/** More of an answer helps nobody here; a vector alone may be longer. */
const SHOWN = 20_000;

type Call = { readonly api: ModelApiName; readonly token: string; readonly model: string; readonly text: string };
type Answered = {
  readonly status: number;
  readonly action: string | null;
  readonly call: string | null;
  readonly body: string;
};

/** As a program makes it: by the key alone, not by the session. */
const made = async ({ api, token, model, text }: Call): Promise<Answered> => {
  const response = await fetch(`${basePath()}${SPOKEN[api].path}`, {
    method: "POST",
    credentials: "omit",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(BODIES[api](model, text)),
  }).catch(() => {
    throw unreachable();
  });
  const { status, headers } = response;
  const body = JSON.stringify(await response.json(), null, 2);
  return {
    status,
    action: headers.get("x-guard-action"),
    call: headers.get("x-request-id"),
    body: body.length > SHOWN ? `${body.slice(0, SHOWN)}…` : body,
  };
};

/** One call of a model with a key of the viewer's, in the API of their choice. */
export const PlaygroundCall = () => {
  const [api, setApi] = useState<ModelApiName>("chat");
  const [token, setToken] = useState("");
  const [model, setModel] = useState("");
  const [text, setText] = useState("");
  const call = useMutation({ mutationFn: made });
  return (
    <Card
      title="Call a model"
      hint="A call as a program makes it: recorded, counted and answered like any other. The key stays in this page."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          call.mutate({ api, token: token.trim(), model: model.trim() || ECHO_MODEL, text });
        }}
      >
        <div className="grid gap-3 sm:grid-cols-3">
          <Select label="API" value={api} onValue={setApi} choices={CHOICES} />
          <Input label="Model" placeholder={ECHO_MODEL} value={model} onValue={setModel} />
          <Input
            label="Key"
            hint={<TextLink to="/settings/keys">Keys</TextLink>}
            type="password"
            required
            placeholder="gw-live-…"
            value={token}
            onValue={setToken}
          />
        </div>
        <TextArea label="Prompt" rows={4} required value={text} onValue={setText} />
        <div>
          <Button type="submit" kind="primary" icon={Send} busy={call.isPending}>
            Send
          </Button>
        </div>
      </form>
      <div className="mt-4 flex min-w-0 flex-col gap-2" aria-live="polite">
        {call.error && <Wrong>{call.error.message}</Wrong>}
        {call.data && <Answer {...call.data} />}
      </div>
    </Card>
  );
};

const Answer = ({ status, action, call, body }: Answered) => (
  <>
    <p className="flex flex-wrap items-center gap-2">
      <Chip tone={status < 400 ? "ok" : "bad"}>{`Status ${status}`}</Chip>
      {action && <StateChip of={action} />}
      {call && <TextLink to={`/calls/${call}`}>View call</TextLink>}
    </p>
    <CodeBlock text={body} label="Answer" />
  </>
);
