import { Eye } from "lucide-react";
import { useState } from "react";
import type { AnswerTo } from "#dashboard/api/client";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { CodeBlock } from "#dashboard/parts/copy";
import { useGet } from "#dashboard/parts/hooks";
import { Await } from "#dashboard/parts/states";
import { Time } from "#dashboard/parts/time";

/** One call, with all that is known of it. */
export type Call = AnswerTo<"GET /api/calls/:id">;

/** The texts of a call, where they are kept for a while. Looking is written down, so it takes a click. */
export const CallContent = ({ call }: { readonly call: Call }) => {
  const [open, setOpen] = useState(false);
  return (
    <Card
      title="Stored content"
      hint={
        <>
          Encrypted, deleted <Time at={call.content.expires_at} />. Viewing is audited.
        </>
      }
      actions={
        call.content.readable &&
        !open && (
          <Button icon={Eye} onClick={() => setOpen(true)}>
            Show content
          </Button>
        )
      }
    >
      {open ? (
        <Texts callId={call.call_id} />
      ) : (
        <p className="text-muted">
          {call.content.readable ? "Hidden." : "Visible to the owner, reviewers and administrators only."}
        </p>
      )}
    </Card>
  );
};

const Texts = ({ callId }: { readonly callId: string }) => {
  const contents = useGet("GET /api/calls/:id/content", { params: { id: callId } }, { once: true });
  return (
    <Await query={contents}>
      {({ data }) => (
        <div className="flex flex-col gap-3">
          {data.flatMap(({ id, texts }) =>
            texts === null
              ? [<p key={id}>The encryption key of this content was deleted.</p>]
              : texts.map(({ param, text }) => (
                  <div key={`${id} ${param}`}>
                    <p className="font-mono text-xs text-muted">{param}</p>
                    <CodeBlock label={`Text of ${param}`} text={text} />
                  </div>
                )),
          )}
        </div>
      )}
    </Await>
  );
};
