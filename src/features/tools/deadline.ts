import { CallDeadline, type DeadlineOptions } from "#guard/call-deadline";
import type { GuardedCall } from "#guard/guarded-call";

/** How long a request to the tool gateway lives. What it waits for ends with it. */
export const deadlineOf = (
  { context, record, gate }: GuardedCall,
  limits: Pick<DeadlineOptions, "client" | "openCalls" | "totalMs">,
): CallDeadline => {
  const deadline = new CallDeadline({
    ...limits,
    noteOpen: (now) => record.noteOpen(now),
    stopped: () => gate.stopped(),
    subject: () => context.subject,
  });
  context.signal = () => deadline.signal;
  return deadline;
};
