import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";

const resource = "backup";
const File = { file: Type.String() };

export const BackupRequested = event("audit.backup.requested", {
  resource,
  summary: "A backup of the installation was requested.",
  data: Type.Object(File),
});

export const BackupMade = event("audit.backup.made", {
  resource,
  summary: "A backup of the installation was created.",
  data: Type.Object({ ...File, bytes: Type.Integer(), completeUpTo: nullable(Time) }),
});

export const BackupFailed = event("audit.backup.failed", {
  resource,
  summary: "A backup of the installation failed.",
  data: Type.Object({ ...File, error: Type.String() }),
});

export const VerificationRequested = event("audit.backup.verification_requested", {
  resource,
  summary: "The verification of a backup was requested.",
  data: Type.Object(File),
});

export const BackupVerified = event("audit.backup.verified", {
  resource,
  summary: "A backup was verified: it is intact, or damaged.",
  data: Type.Object({ ...File, isWhole: Type.Boolean(), detail: Type.String() }),
});

export const BackupDeleted = event("audit.backup.deleted", {
  resource,
  summary: "A backup and its file were deleted.",
  data: Type.Object(File),
});
