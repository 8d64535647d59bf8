import { hasTokenIds } from "#scan/texts/token-ids";
import { plainEvent, testsOfFields, withUsage } from "./field-loss";

testsOfFields("completions", {
  streams: (events) => [events],
  written: plainEvent,
  end: "data: [DONE]\n\n",
  asked: withUsage,
  // Of a model whose encoding nobody knows.
  isRefused: ({ prompt }) => hasTokenIds(prompt),
});
