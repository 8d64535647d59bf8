/** The record is not on disk, or nobody can say that it is. The reason is for the operator. */
export class AuditUnavailable extends Error {
  override readonly name: string = "AuditUnavailable";
  constructor(reason: string) {
    super(`The audit record could not be written: ${reason}`);
  }
}

/** More records wait than may: the disk is slower than the calls. */
export class AuditQueueFull extends AuditUnavailable {
  override readonly name = "AuditQueueFull";
  constructor(waiting: number) {
    super(`${waiting} records are waiting already`);
  }
}
