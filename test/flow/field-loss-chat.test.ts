import { plainEvent, testsOfFields, withUsage } from "./field-loss";

testsOfFields("chat", {
  streams: (events) => [events],
  written: plainEvent,
  end: "data: [DONE]\n\n",
  asked: withUsage,
});
