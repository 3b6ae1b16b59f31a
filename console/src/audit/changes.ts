export interface FieldChange {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** The fields that an event says were changed, each with before and after. */
export function listChanges(data: Readonly<Record<string, unknown>>): readonly FieldChange[] {
  const { before, after, changes } = data;
  if (!Array.isArray(changes) || !isRecord(before) || !isRecord(after)) return [];
  return changes
    .filter((field) => typeof field === "string")
    .map((field) => ({ field, before: show(before[field]), after: show(after[field]) }));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function show(value: unknown): string {
  if (value === undefined || value === null || value === "") return "nothing";
  return typeof value === "string" ? value : JSON.stringify(value);
}
