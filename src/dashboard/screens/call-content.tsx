import { Eye } from "lucide-react";
import { useState } from "react";
import { useGet } from "#dashboard/api/hooks";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { CodeBlock } from "#dashboard/parts/copy";
import { Await } from "#dashboard/parts/states";
import { Time } from "#dashboard/parts/time";
import type { Call } from "./call-type";

/** The texts of a call, where they are kept for a while. Looking is written down, so it takes a click. */
export const CallContent = ({ call }: { readonly call: Call }) => {
  const [open, setOpen] = useState(false);
  return (
    <Card
      title="Kept texts"
      hint={
        <>
          Sealed, and deleted <Time at={call.content.expires_at} />. Whoever reads them is on record.
        </>
      }
      actions={
        call.content.readable &&
        !open && (
          <Button icon={Eye} onClick={() => setOpen(true)}>
            Read them
          </Button>
        )
      }
    >
      {open ? (
        <Texts callId={call.call_id} />
      ) : (
        <p className="text-muted">
          {call.content.readable ? "Not opened." : "Only its owner, reviewers and administrators may read them."}
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
              ? [<p key={id}>The key it was sealed with is gone.</p>]
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
