import { hasTokenIds } from "#scan/texts/token-ids";
import { testsOfFields } from "./field-loss";

testsOfFields("embeddings", {
  streams: () => [],
  written: () => "",
  end: "",
  asked: (request) => request,
  // Of a model whose encoding nobody knows.
  isRefused: ({ input }) => hasTokenIds(input),
});
