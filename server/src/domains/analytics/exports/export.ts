/** Schemas, events and failures of exports: rows or a report as a file, written in the background. */
import Type, { type Static } from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import { ConditionSchema } from "#kernel/condition/condition.ts";
import { event } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { pickFields } from "#kernel/resource/table.ts";
import { id, line, nullable, object, Time } from "#kernel/schema/schema.ts";
import { type Definition, FieldPath, ReportId, Source } from "../reports/report.ts";
import type { Authority } from "#domains/identity/accounts/index.ts";
import type { FileColumn, FormatState } from "./file/file-format.ts";
import { FORMATS } from "./file/formats.ts";

export const EXPORTS_OPEN_MAX = 50;
const FIELDS_MAX = 300;

export const ExportId = id("exp");
const Format = Type.Enum([...FORMATS]);

export const ExportStatus = Type.Enum(["queued", "running", "completed", "failed", "cancelled"]);

export const NewExport = object(
  {
    name: Type.Optional(line(200, "File name")),
    reportId: Type.Optional(ReportId),
    source: Type.Optional(Source),
    filter: Type.Optional(ConditionSchema),
    fields: Type.Optional(Type.Array(FieldPath, { minItems: 1, maxItems: FIELDS_MAX })),
    format: Type.Optional(Type.Enum([...FORMATS], { default: "csv" })),
  },
  { title: "NewExport" },
);
export type NewExport = Static<typeof NewExport>;

/** The content of an export at the time of the request. */
export type Content =
  | { readonly kind: "report"; readonly reportId: string; readonly definition: Definition }
  | {
      readonly kind: "rows";
      readonly source: Source;
      readonly filter: Readonly<Record<string, unknown>> | null;
      readonly columns: readonly FileColumn[];
    };

export const Export = Type.Object(
  {
    id: ExportId,
    name: Type.String(),
    format: Format,
    status: ExportStatus,
    reportId: nullable(ReportId),
    source: Source,
    progress: Type.Object({
      rows: Type.Integer({ description: "Number of written rows" }),
      total: nullable(Type.Integer({ description: "Number of rows at the start" })),
      percent: nullable(Type.Integer()),
    }),
    bytes: Type.Integer(),
    error: nullable(Type.String()),
    requestedBy: Type.String(),
    createdAt: Time,
    startedAt: nullable(Time),
    finishedAt: nullable(Time),
    expiresAt: Type.String({
      format: "date-time",
      description: "Time of deletion: 7 days after the end",
    }),
  },
  { title: "Export" },
);
export type Export = Static<typeof Export> & { readonly revision: number };

/** An export, its content, and how far its file is written. */
export type StoredExport = Export &
  Authority & {
    readonly content: Content;
    readonly chunks: number;
    readonly position: readonly unknown[] | null;
    readonly form: FormatState | null;
  };

/** Returns whether the caller sees all exports, not only their own. */
export function canSeeAll({ principal }: Caller): boolean {
  return !principal || principal.roles.some((role) => role === "owner" || role === "admin");
}

export const TooManyExports = failure(
  "too_many_exports",
  409,
  "Too many exports are in progress. Wait until one of them ends.",
);
export const ExportOver = failure("export_over", 409, "The export has ended.");
export const ExportNotReady = failure("export_not_ready", 409, "The export is not completed.");
const about = { resource: "export", data: Export };

export const ExportRequested = event("export.requested", {
  ...about,
  summary: "An export was requested.",
});
export const ExportCompleted = event("export.completed", {
  ...about,
  summary: "An export was completed.",
});
export const ExportFailed = event("export.failed", {
  ...about,
  summary: "An export failed.",
});
export const ExportCancelled = event("export.cancelled", {
  ...about,
  summary: "An export was cancelled.",
});
export const ExportExpired = event("export.expired", {
  ...about,
  summary: "An export was deleted after its retention.",
});

export const exportEvents = [
  ExportRequested,
  ExportCompleted,
  ExportFailed,
  ExportCancelled,
  ExportExpired,
] as const;

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 7;

/** When an export is deleted that has ended at a time. */
export function expiresAt(at: Date): Date {
  return new Date(at.getTime() + RETENTION_DAYS * DAY_MS);
}

/** The reference to an export in events. */
export function exportRef({ id, name }: Export) {
  return { id, displayName: name };
}

/** An export in events. */
export function toExportData(stored: StoredExport): Static<typeof Export> {
  return pickFields(stored, Export) as Static<typeof Export>;
}
