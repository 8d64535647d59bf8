/** The serialised form of an `AuditRecord`: one line of JSON. */
export type SerialisedRecord = string;
