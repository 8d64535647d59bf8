import { responsesStreams, shortResponsesStreams } from "#test/support/sdk-fields/responses-stream";
import { type ApiDrive, namedEvent, testsOfFields } from "./field-loss";

const drive: ApiDrive = {
  streams: responsesStreams,
  shortStreams: shortResponsesStreams,
  written: namedEvent,
  end: "",
  asked: (request) => request,
  isStreamed: false,
};

testsOfFields("responses", drive);
testsOfFields("compact", drive);
testsOfFields("input_tokens", drive);
