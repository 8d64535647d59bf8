import { type Static, Type } from "#core/schema";
import { Moment, oneOf, orNull, pageSchema } from "#http/openapi/schemas";
import { NOTICE_TYPES } from "#model/triage";

/* What `/api/notices` takes and answers. */

export const NoticeView = Type.Object(
  {
    id: Type.String(),
    type: oneOf(NOTICE_TYPES, "The event it tells of."),
    subject: oneOf(["report", "review", "suggestion"]),
    subject_id: Type.String(),
    agent: orNull(Type.Object({ id: Type.String(), name: Type.String() })),
    outcome: Type.String({ description: "The verdict of a report, or the state of a review or suggestion." }),
    title: Type.String({ description: "One line, without content." }),
    url: Type.String({ description: "Path of the dashboard page." }),
    at: Moment,
    seen_at: orNull(Type.String({ format: "date-time" })),
  },
  { $id: "Notice" },
);
export type NoticeView = Static<typeof NoticeView>;

const Page = pageSchema(NoticeView);
export const NoticePage = Type.Object(
  { ...Page.properties, unseen: Type.Integer({ description: "How many the user has not seen." }) },
  { $id: "NoticePage" },
);

export const NoticesSeen = Type.Object(
  {
    subject_id: Type.Optional(
      orNull(
        Type.String({ minLength: 1, maxLength: 100, description: "Only those of this report, review or suggestion." }),
      ),
    ),
  },
  { additionalProperties: false, $id: "NoticesSeen" },
);

export const SeenNotices = Type.Object(
  { object: Type.Literal("notices.seen"), seen: Type.Integer() },
  { $id: "SeenNotices" },
);
