import { useState } from "react";
import { ECHO_MODEL, EXAMPLES, NO_TOKEN } from "#clients/examples";
import { basePath } from "#dashboard/address/base-path";
import { CodeBlock } from "#dashboard/parts/copy";
import { Input, Select } from "#dashboard/parts/field";

const CHOICES = EXAMPLES.map(({ id, label }) => ({ value: id, label }));

/** How a key is used in each client, ready to be pasted. */
export const KeySnippets = ({
  token = NO_TOKEN,
  model = ECHO_MODEL,
  title = "Example",
  words = "Hello",
}: {
  readonly token?: string | undefined;
  readonly model?: string | undefined;
  /** Tells it from another one on the same page. */
  readonly title?: string;
  /** What is said to the model. Nothing that JSON or a shell would read otherwise. */
  readonly words?: string;
}) => {
  const [id, setId] = useState("curl");
  const [typed, setTyped] = useState("");
  const client = EXAMPLES.find((one) => one.id === id);
  if (!client) return null;
  // Where the browser found the hub, programs on this machine find it too.
  const hub = `${location.origin}${basePath()}`;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="grid gap-3 sm:grid-cols-2">
        <Select label="Client" value={id} onValue={setId} choices={CHOICES} />
        {client.uses === "models" && <Input label="Model" placeholder={model} value={typed} onValue={setTyped} />}
      </div>
      {client.snippets({ hub, token, model: typed.trim() || model, words }).map(({ place, systems, text }) => (
        <figure key={place} className="flex min-w-0 flex-col gap-1">
          {place !== null && (
            <figcaption className="text-xs text-muted">
              <span className="font-mono break-all">{place}</span>
              {systems !== null && ` (${systems})`}
            </figcaption>
          )}
          <CodeBlock text={text} label={place === null ? `${title}: ${client.label}` : `${title}: ${place}`} />
        </figure>
      ))}
      {client.facts.map((fact) => (
        <Hint key={fact} text={fact} />
      ))}
    </div>
  );
};

/** A sentence in which backticks mark what is typed. */
const Hint = ({ text }: { readonly text: string }) => (
  <p className="text-[13px] text-muted">
    {[...text.matchAll(/`([^`]*)`|[^`]+/g)].map(({ 0: part, 1: typed, index }) =>
      typed === undefined ? (
        part
      ) : (
        <code key={index} className="font-mono text-xs">
          {typed}
        </code>
      ),
    )}
  </p>
);
