import { messagesStreams } from "#test/support/sdk-fields/messages-stream";
import { namedEvent, testsOfFields } from "./field-loss";

testsOfFields("messages", {
  streams: messagesStreams,
  written: namedEvent,
  end: "",
  asked: (request) => request,
});

testsOfFields("count_tokens", {
  streams: () => [],
  written: namedEvent,
  end: "",
  asked: (request) => request,
});
