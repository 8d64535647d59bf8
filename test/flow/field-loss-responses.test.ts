import type { JsonRecord } from "#core/json/json";
import { keptIdsIn } from "#guard/apis/responses-state";
import { responsesStreams, shortResponsesStreams } from "#test/support/sdk-fields/responses-stream";
import { type ApiDrive, namedEvent, testsOfFields } from "./field-loss";

/** Ids of responses are the hub's own. */
const kept = (said: JsonRecord): JsonRecord => {
  const copy = structuredClone(said);
  for (const { holder, key } of keptIdsIn(copy)) holder[key] = "resp_own";
  return copy;
};

const drive: ApiDrive = {
  kept,
  streams: responsesStreams,
  shortStreams: shortResponsesStreams,
  written: namedEvent,
  end: "",
  asked: (request) => request,
};

testsOfFields("responses", drive);
testsOfFields("compact", drive);
testsOfFields("input_tokens", drive);
